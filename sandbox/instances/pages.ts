import { ApiError } from '../api-error.ts';
import { type ApiRequest, parseQuery } from '../http.ts';

interface ListPage<Row> {
  readonly value: readonly Row[];
  /** URL of the next page; absent on the last page. */
  readonly nextLink?: string;
}

/** Returns the requested page of a list. The URL of the next page has the same query and a `$skipToken`. */
export function cutPage<Row>(request: ApiRequest, rows: readonly Row[], size: number): ListPage<Row> {
  const token = parseQuery(request.query).get('$skipToken');
  const from = token === undefined ? 0 : readToken(token);
  const to = from + size;
  const value = rows.slice(from, to);
  if (to >= rows.length) return { value };
  const parts = request.query.split('&').filter((part) => !/^(\$|%24)skipToken=/i.test(part));
  const query = [...parts, `$skipToken=${encodeURIComponent(writeToken(to))}`].join('&');
  return { value, nextLink: `${request.origin}${request.path}?${query}` };
}

function writeToken(from: number): string {
  return Buffer.from(`row:${from}`).toString('base64');
}

function readToken(token: string): number {
  const digits = /^row:(\d{1,9})$/.exec(Buffer.from(token, 'base64').toString('utf8'))?.[1];
  if (digits !== undefined) return Number(digits);
  throw new ApiError(400, 'InvalidParameter', 'The value of parameter $skipToken is invalid.', {
    target: '$skipToken',
  });
}
