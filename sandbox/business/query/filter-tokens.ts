import { ApiError } from '../../api-error.ts';

/** The kinds of tokens of a `$filter`. The tokenizer treats keywords as names. */
export type TokenKind = 'string' | 'guid' | 'dateTime' | 'date' | 'number' | 'name' | 'mark' | 'end';

/** A token. The `text` of a string is its value, without quotes and escapes. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly position: number;
}

const patterns: readonly (readonly [TokenKind, RegExp])[] = [
  ['string', /'(?:[^']|'')*'/y],
  ['guid', /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}(?![\w-])/iy],
  ['dateTime', /\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)(?![\w-])/y],
  ['date', /\d{4}-\d\d-\d\d(?![\w-])/y],
  ['number', /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.-])/y],
  ['name', /[A-Za-z_$@][\w$@./]*/y],
  ['mark', /[(),:]/y],
];

/**
 * Splits a filter into tokens, of which the last is `end`. Throws an `ApiError` for words or literals without
 * a blank between them.
 */
export function tokenize(filter: string): Token[] {
  const tokens: Token[] = [];
  let position = skipBlanks(filter, 0);
  while (position < filter.length) {
    const token = tokenAt(filter, position);
    const former = tokens.at(-1);
    const isJoined = former && former.kind !== 'mark' && !/[ \t]/.test(filter[position - 1] ?? '');
    if (!token || (isJoined && token.token.kind !== 'mark')) throw syntaxError(filter, position);
    tokens.push(token.token);
    position = skipBlanks(filter, token.next);
  }
  tokens.push({ kind: 'end', text: '', position });
  return tokens;
}

/** The error for a filter with invalid syntax. */
export function syntaxError(filter: string, position: number): ApiError {
  return new ApiError(
    400,
    'BadRequest_NotFound',
    `Syntax error at position ${position} in '${filter.slice(0, 200)}'.`,
  );
}

function tokenAt(filter: string, position: number): { token: Token; next: number } | undefined {
  for (const [kind, pattern] of patterns) {
    pattern.lastIndex = position;
    const found = pattern.exec(filter)?.[0];
    if (found === undefined) continue;
    const text = kind === 'string' ? found.slice(1, -1).replaceAll("''", "'") : found;
    return { token: { kind, text, position }, next: pattern.lastIndex };
  }
  return undefined;
}

function skipBlanks(filter: string, from: number): number {
  let position = from;
  while (filter[position] === ' ' || filter[position] === '\t') position += 1;
  return position;
}
