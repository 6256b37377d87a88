import type { UpstreamName } from '../errors.ts';
import { badResponseError } from '../http/errors.ts';
import { readNextLink } from '../http/pagination.ts';
import type { UpstreamResponse } from '../http/response.ts';
import { int32OrNull, isJsonObject, type JsonObject } from '../runtime/json.ts';

/**
 * Formats a string as an OData literal: quoted, with every quote doubled, so that no string can end the literal early. A lone
 * surrogate, which is valid in JSON but not in a URL, becomes the replacement character.
 */
export function quoteString(text: string): string {
  return `'${Buffer.from(text).toString().replaceAll("'", "''")}'`;
}

/**
 * Builds a query string of system query options, with its question mark; '' without options.
 *
 * Spaces become `%20`, never `+`. The characters of OData's own syntax (`$ , ; : / = ( ) '`) are not encoded.
 */
export function buildQueryString(options: Readonly<Record<string, string | undefined>>): string {
  const pairs = Object.entries(options).filter(([, value]) => value !== undefined && value !== '');
  if (pairs.length === 0) return '';
  return `?${pairs.map(([name, value]) => `${name}=${encodeQueryValue(value as string)}`).join('&')}`;
}

function encodeQueryValue(value: string): string {
  return encodeURI(value).replace(/[?@&+#]/g, encodeURIComponent);
}

export interface ODataCollection {
  readonly value: readonly ODataRow[];
  /** Null on the last page. */
  readonly nextLink: string | null;
  /** The result of `$count=true`; null if it is missing, negative, or exceeds GraphQL's Int. */
  readonly count: number | null;
}

/** A record in OData's JSON format: columns and control information. */
export type ODataRow = JsonObject;

/**
 * Reads the control information of an object, or of one of its properties: `@odata.count` in OData 4.0, also `@count` in
 * 4.01 (JSON Format 4.01, section 4.6).
 */
export const readControl = (object: ODataRow, name: 'nextLink' | 'count', property = ''): unknown =>
  object[`${property}@odata.${name}`] ?? object[`${property}@${name}`];

const readEtag = (row: ODataRow): unknown => row['@odata.etag'] ?? row['@etag'];

/** Parses the collection in a body; null if the body is not one. */
export function parseCollection(body: unknown): ODataCollection | null {
  if (!isJsonObject(body)) return null;
  const { value } = body;
  const nextLink = readNextLink(readControl(body, 'nextLink'));
  if (!Array.isArray(value) || !value.every(isJsonObject) || nextLink === undefined) return null;
  const total = int32OrNull(readControl(body, 'count'));
  return { value, nextLink, count: total !== null && total < 0 ? null : total };
}

/** Parses the collection in a response; throws an `UpstreamError` if the body is not one. */
export function requireCollection(upstream: UpstreamName, response: UpstreamResponse): ODataCollection {
  const collection = parseCollection(response.body);
  if (collection) return collection;
  throw badResponseError(upstream, 'The upstream responded with something other than a list.', response);
}

/**
 * Parses the record in a response; throws an `UpstreamError` if the body is not one. The ETag is an annotation of the body, or
 * else the header: the document does not say which.
 */
export function parseEntity(upstream: UpstreamName, response: UpstreamResponse): ODataRow {
  const { body, headers } = response;
  if (!isJsonObject(body))
    throw badResponseError(upstream, 'The upstream responded with something other than a record.', response);
  return typeof headers.etag === 'string' && readEtag(body) === undefined
    ? { '@odata.etag': headers.etag, ...body }
    : body;
}

/** Parses the ETag of a row; null if it has none, such as a company. */
export function parseEtag(row: ODataRow): string | null {
  const etag = readEtag(row);
  return typeof etag === 'string' && etag !== '' ? etag : null;
}
