/** Formats documents as the printer of `graphql` does, with their comments, which the printer drops. */
import { parse, print } from './libraries.js';

/**
 * Formats a document. A comment stays at the end of its line, or above what follows it.
 *
 * @param {string} text
 * @throws {Error} where the text cannot be parsed
 */
export function formatDocument(text) {
  const printed = print(parse(text));
  const tokens = listTokens(printed);
  /** What stands before each printed token and after the last: blanks, commas and line breaks. */
  const gaps = tokens.map(({ start, prev }) => printed.slice(prev?.end, start));
  gaps.push('\n');
  /** The index of the printed token that comes next. */
  let next = 0;
  for (const { kind, value, start, prev } of listTokens(text)) {
    const comment = `#${value}`.trimEnd();
    let at = next;
    if (kind !== 'Comment') {
      // The printer drops the keyword of a query without a name.
      if (kind === tokens[next]?.kind) next += 1;
    } else if (next > 0 && !text.slice(prev?.end, start).includes('\n')) {
      while (!gaps[at]?.includes('\n')) at += 1;
      gaps[at] = gaps[at]?.replace(/^[^\n]*/, (before) => `${before} ${comment}`) ?? '';
    } else {
      while (at > 0 && !gaps[at]?.includes('\n')) at -= 1;
      const gap = gaps[at] ?? '';
      const isInside = tokens[at]?.kind === '}';
      gaps[at] = `${gap}${isInside ? '  ' : ''}${comment}\n${gap.slice(gap.lastIndexOf('\n') + 1)}`;
    }
  }
  return tokens.map(({ start, end }, at) => gaps[at] + printed.slice(start, end)).join('') + gaps.at(-1);
}

/** Without those that mark the beginning and the end. @param {string} text */
function listTokens(text) {
  const found = [];
  for (let token = parse(text).loc?.startToken.next; token?.next; token = token.next) found.push(token);
  return found;
}
