/** The rows of a collection that somebody is going to look at, counted from 0; `to` is not among them. */
export interface RowRange {
  readonly from: number;
  readonly to: number;
}

const beginning = /"value"\s*:\s*\[/;

/**
 * The JSON text of an OData collection without the rows outside a range: those before it become `{}`, of those
 * after it one `{}` is left to show that there are more.
 *
 * For answers far longer than was asked for: to find where rows end costs less than half of parsing them, and
 * leaves no garbage. A text that is no such collection comes back as it is.
 */
export function cutRows(text: string, { from, to }: RowRange): string {
  const match = beginning.exec(text);
  if (!match) return text;
  const start = match.index + match[0].length;
  let keptFrom = from === 0 ? start : -1;
  let keptTo = -1;
  let rows = 0;
  let depth = 0;
  let at = start;
  for (; ; at++) {
    const character = text.charCodeAt(at);
    if (Number.isNaN(character)) return text;
    if (character === quote) at = endOfString(text, at);
    else if (character === openBrace || character === openBracket) depth++;
    else if ((character === closeBrace || character === closeBracket) && depth > 0) depth--;
    else if (depth === 0 && (character === comma || character === closeBracket)) {
      rows++;
      if (rows === from) keptFrom = at + 1;
      if (rows === to) keptTo = at;
      if (character === closeBracket) break;
    }
  }
  if (rows <= from || text.slice(start, at).trim() === '') return text;
  const kept = text.slice(keptFrom, rows > to ? keptTo : at);
  const rest = rows > to ? ',{}' : '';
  return text.slice(0, start) + '{},'.repeat(from) + kept + rest + text.slice(at);
}

const [quote, comma, openBrace, closeBrace, openBracket, closeBracket] = [...'",{}[]'].map((character) =>
  character.charCodeAt(0),
);
const backslash = '\\';

// Where a string that begins at `start` ends; beyond the text when it does not.
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0;
  while (text[at - 1 - slashes] === backslash) slashes++;
  return slashes % 2 === 1;
}
