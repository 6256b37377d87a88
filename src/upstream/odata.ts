import type { Answer } from './answer.ts';
import { badResponse } from './error-answers.ts';
import { int32OrNull, isObject, type JsonObject } from './json.ts';

/**
 * A string as an OData literal: quoted, with every quote doubled. No string can end the literal early. Half
 * a surrogate pair, which JSON can carry and a URL cannot, becomes the replacement character.
 */
export function quote(text: string): string {
  return `'${Buffer.from(text).toString().replaceAll("'", "''")}'`;
}

/**
 * System query options as a query string with its question mark, or '' when there are none.
 *
 * Blanks become `%20`, never `+`; the characters that OData itself uses (`$ , ; : / = ( ) '`) stay readable.
 */
export function queryString(options: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(options).filter(([, value]) => value !== undefined && value !== '');
  if (pairs.length === 0) return '';
  return `?${pairs.map(([name, value]) => `${name}=${encodeValue(value as string)}`).join('&')}`;
}

function encodeValue(value: string): string {
  return encodeURI(value).replace(/[?@&+#]/g, encodeURIComponent);
}

/** An OData collection: its rows, and where the rest is when there is more. */
export interface Collection {
  readonly value: readonly Row[];
  readonly nextLink: string | null;
  /** What `$count=true` asked for; null where the answer has none that the graph can carry. */
  readonly count: number | null;
}

/** A record as OData writes it: columns and `@odata.…` annotations. */
export type Row = JsonObject;

/** The collection in a body, or null when the body is not one. */
export function readCollection(body: unknown): Collection | null {
  const {
    value,
    '@odata.nextLink': nextLink,
    '@odata.count': count,
  } = (body ?? {}) as Record<string, unknown>;
  if (!Array.isArray(value) || !value.every(isObject)) return null;
  return {
    value,
    nextLink: typeof nextLink === 'string' && nextLink !== '' ? nextLink : null,
    count: int32OrNull(count),
  };
}

/**
 * The record an answer holds. Its entity tag is an annotation of the body; the document does not say where
 * it is, so a server that gives it only as a header is understood too. Throws when there is no record.
 */
export function readEntity({ body, headers }: Pick<Answer, 'body' | 'headers'>): Row {
  if (!isObject(body))
    throw badResponse('business', 'The upstream answered with something other than a record.');
  return typeof headers.etag === 'string' ? { '@odata.etag': headers.etag, ...body } : body;
}

/** The entity tag of a row, or null where it carries none (companies). */
export function etagOf(row: Row): string | null {
  const etag = row['@odata.etag'];
  return typeof etag === 'string' && etag !== '' ? etag : null;
}
