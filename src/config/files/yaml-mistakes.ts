import { type Document, type ErrorCode, isScalar, type Scalar, visit } from 'yaml';

interface YamlMistake {
  /** Where it is in the text. */
  readonly offset: number;
  /** What is wrong, and what to do. Quotes nothing of the text, which may hold secrets. */
  readonly message: string;
}

const unclosedQuote = /Missing closing/;
const writeName = 'a name without a colon. Write `name: value`, with a blank behind the colon.';

// The library's errors by their codes, and by words of their messages where a code has several meanings.
const sentences: readonly (readonly [ErrorCode, RegExp, string])[] = [
  ['MULTIPLE_DOCS', /./, 'a second document begins. Write one, without `---` and `...`.'],
  [
    'BLOCK_AS_IMPLICIT_KEY',
    /./,
    'a colon in a value, or names indented below a value. Put the value in quotes, or indent the names as those above.',
  ],
  ['BAD_SCALAR_START', /./, 'a value that begins with %, @, ` or a comma. Put it in quotes.'],
  ['TAB_AS_INDENT', /./, 'a tab before a name. Indent with blanks.'],
  ['BAD_DQ_ESCAPE', /./, 'a backslash in double quotes that begins no escape. Use single quotes.'],
  ['MISSING_CHAR', unclosedQuote, 'a quote that begins here is not closed. Close it.'],
  ['MISSING_CHAR', /Comments/, 'a # without a blank before it. Put one there, or the value in quotes.'],
  ['MISSING_CHAR', /map values/, writeName],
  ['MULTILINE_IMPLICIT_KEY', /./, writeName],
  ['BAD_INDENT', /end with/, 'a bracket before this is not closed. Close it, or put the value in quotes.'],
  ['BAD_INDENT', /./, 'indented otherwise than the lines above. Begin names of one group at one column.'],
  ['UNEXPECTED_TOKEN', /same line/, 'a value that begins with a hyphen and a blank. Put it in quotes.'],
  ['UNEXPECTED_TOKEN', /header/, 'a value that begins with | or >. Put it in quotes.'],
  ['UNEXPECTED_TOKEN', /node end/, 'text behind the end of a value. Put the whole value in quotes.'],
];

/** Why a text is no YAML, and where; null if it is. Of several errors one is told, from which others follow. */
export function findYamlMistake({ errors, contents }: Document.Parsed): YamlMistake | null {
  const isUnclosed = ({ message }: { readonly message: string }) => unclosedQuote.test(message);
  const error =
    errors.find(({ message }) => /call stack/.test(message)) ?? errors.find(isUnclosed) ?? errors[0];
  if (error === undefined) return null;
  const { code, message, pos } = error;
  if (/call stack/.test(message))
    return { offset: pos[0], message: 'nested too deeply. Names have five parts at most.' };
  const [, , sentence = 'this is no YAML. Write `name: value`, and values with other characters in quotes.'] =
    sentences.find((one) => one[0] === code && one[1].test(message)) ?? [];
  return { offset: isUnclosed(error) ? findQuote(contents, pos[0]) : pos[0], message: sentence };
}

/** Where the quote begins that is not closed at its end. */
function findQuote(contents: Document.Parsed['contents'], end: number): number {
  let found = end;
  visit(contents, {
    Scalar(_key, node: Scalar) {
      if (isScalar(node) && node.range?.[1] === end && node.type?.startsWith('QUOTE_')) [found] = node.range;
    },
  });
  return found;
}
