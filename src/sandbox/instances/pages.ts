import type { Call } from '../http.ts';
import { readParameters } from '../http.ts';
import { Refusal } from '../refusal.ts';

interface Page<Row> {
  readonly value: readonly Row[];
  /** Address of the next page; absent on the last. */
  readonly nextLink?: string;
}

/** The page of a list that a request asks for; the address of the next has the same query and a `$skipToken`. */
export function pageOf<Row>(call: Call, rows: readonly Row[], size: number): Page<Row> {
  const token = readParameters(call.query).get('$skipToken');
  const from = token === undefined ? 0 : readToken(token);
  const to = from + size;
  const value = rows.slice(from, to);
  if (to >= rows.length) return { value };
  const asked = call.query.split('&').filter((part) => !/^(\$|%24)skipToken=/i.test(part));
  const query = [...asked, `$skipToken=${encodeURIComponent(writeToken(to))}`].join('&');
  return { value, nextLink: `${call.origin}${call.path}?${query}` };
}

function writeToken(from: number): string {
  return Buffer.from(`row:${from}`).toString('base64');
}

function readToken(token: string): number {
  const digits = /^row:(\d{1,9})$/.exec(Buffer.from(token, 'base64').toString('utf8'))?.[1];
  if (digits !== undefined) return Number(digits);
  throw new Refusal(400, 'InvalidParameter', 'The value of parameter $skipToken is invalid.', {
    target: '$skipToken',
  });
}
