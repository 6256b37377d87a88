import type { UpstreamName } from '../errors.ts';
import { waitForTurn } from '../runtime/cooperative-queue.ts';
import { isJsonObject, type JsonObject, mapStrings } from '../runtime/json.ts';
import type { Access } from './auth/access.ts';
import type { UpstreamClient } from './client.ts';
import { badResponseError } from './errors.ts';
import { decodeOrKeep } from './path-segment.ts';
import type { UpstreamResponse } from './response.ts';

/** Reads a next link: null at the end of a list, undefined if it is invalid. */
export function readNextLink(value: unknown): string | null | undefined {
  if (value == null || value === '') return null;
  return typeof value === 'string' ? value : undefined;
}

/**
 * Returns the parameters that the upstream has added to a next link, verbatim. `own` are the names, in lower case, of the
 * parameters that Tributary adds to every page. Throws `UpstreamError` for a link to another path.
 *
 * The result is appended to the configured address, so no request is sent to the host that a next link names.
 */
export function readContinuation(
  upstream: UpstreamName,
  nextLink: string,
  path: string,
  own: ReadonlySet<string>,
): string {
  const base = `http://upstream${path}`;
  const link = URL.canParse(nextLink, base) ? new URL(nextLink, base) : null;
  if (!link || !decodeOrKeep(link.pathname).toLowerCase().endsWith(decodeOrKeep(path).toLowerCase()))
    throw badResponseError(upstream, 'The upstream sent a next link to another list.');
  const pairs = link.search.slice(1).split(pairSeparator);
  const added = pairs.filter((pair) => !own.has(decodeOrKeep(pair.split('=', 1)[0] ?? '').toLowerCase()));
  if (added.join('') === '')
    throw badResponseError(upstream, 'The upstream sent a next link without a position.');
  return added.join('&');
}

// The real service appends `?$skipToken=` even to a URL that has a query (docs/upstream.md).
const pairSeparator = /&|\?(?=(?:\$|%24)\w+=)/i;

/** The longest list, in pages. Beyond it, the next links are assumed to be endless. */
export const maxListPages = 50;

/**
 * Reads a list page by page, from a position to its end. Throws `UpstreamError` for a next link to an earlier page, and
 * beyond 50 pages.
 */
export async function* followPages<Page extends { readonly next: string | null }>(
  upstream: UpstreamName,
  first: string,
  readPage: (position: string) => Promise<Page>,
): AsyncGenerator<Page> {
  const seen = new Set<string>();
  for (let position = first; ; ) {
    if (seen.has(position) || seen.size === maxListPages) throw endlessListError(upstream);
    seen.add(position);
    const page: Page = await readPage(position);
    yield page;
    if (page.next === null) return;
    position = page.next;
  }
}

export const endlessListError = (upstream: UpstreamName) =>
  badResponseError(upstream, "The upstream's next links do not end.");

/** A list of areas B and C: `{ value, nextLink }`. */
export interface ListAddress {
  readonly upstream: UpstreamName;
  readonly path: string;
  readonly apiVersion: string;
  /** More parameters of the first page, each preceded by an ampersand. Default: none. */
  readonly parameters?: string;
  /** The name of the rows, for messages. */
  readonly content: string;
  /** The method of every page. Default: GET. */
  readonly method?: 'GET' | 'POST';
}

interface ListPage {
  readonly rows: readonly unknown[];
  readonly response: UpstreamResponse;
  /** The parameters of the next page; null on the last. */
  readonly next: string | null;
}

const ownParameters = new Set(['api-version']);

/**
 * Reads a list page by page, always at the configured address. Throws `UpstreamError`, also for a next link to another list
 * or an earlier page, and beyond 50 pages.
 */
export function readListPages(
  client: UpstreamClient,
  { upstream, path, apiVersion, parameters: first = '', content, method = 'GET' }: ListAddress,
  access: Access,
): AsyncGenerator<ListPage> {
  const version = `api-version=${encodeURIComponent(apiVersion)}`;
  return followPages(upstream, first, async (parameters): Promise<ListPage> => {
    const response = await client.send({ method, path: `${path}?${version}${parameters}`, access });
    const { value, nextLink } = isJsonObject(response.body) ? response.body : {};
    const next = readNextLink(nextLink);
    if (!Array.isArray(value) || next === undefined)
      throw badResponseError(
        upstream,
        `The upstream responded with something other than a list of ${content}.`,
        response,
      );
    return {
      rows: value,
      response,
      next: next === null ? null : `&${readContinuation(upstream, next, path, ownParameters)}`,
    };
  });
}

/**
 * Reads all rows of a list, by name, so that a row that moves to a later page meanwhile is contained once. Tokens and
 * addresses of the upstream are redacted. `parse` returns null for a row to leave out.
 */
export async function readListRows<Row>(
  client: UpstreamClient,
  list: ListAddress,
  access: Access,
  parse: (row: JsonObject) => readonly [name: string, row: Row] | null,
): Promise<ReadonlyMap<string, Row>> {
  const found = new Map<string, Row>();
  for await (const { rows, response } of readListPages(client, list, access)) {
    for (const row of await redactRows(rows, response, access.principal)) {
      const parsed = isJsonObject(row) ? parse(row) : null;
      if (parsed && !found.has(parsed[0])) found.set(...parsed);
    }
  }
  return found;
}

// How long redaction may block the event loop at a time.
const sliceMs = 5;

/** Redacts rows in slices, on the cooperative queue of `key`. */
async function redactRows(
  rows: readonly unknown[],
  { redact }: UpstreamResponse,
  key: string,
): Promise<readonly unknown[]> {
  const redacted: unknown[] = [];
  let beganAt = performance.now();
  for (const row of rows) {
    if (performance.now() - beganAt > sliceMs) {
      await waitForTurn(key);
      beganAt = performance.now();
    }
    redacted.push(mapStrings(row, redact));
  }
  return redacted;
}
