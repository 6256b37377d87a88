import type { UpstreamName } from '../errors.ts';
import { waitForTurn } from '../runtime/cooperative-queue.ts';
import { isJsonObject, mapStrings } from '../runtime/json.ts';
import type { Access } from './auth/access.ts';
import type { UpstreamCall } from './call.ts';
import type { UpstreamClient } from './client.ts';
import { badResponseError } from './errors.ts';
import { followPages, readContinuation, readNextLink } from './pagination.ts';
import type { UpstreamResponse } from './response.ts';

/** A list of areas B and C: `{ value, nextLink }`. */
export interface ListAddress {
  readonly upstream: UpstreamName;
  readonly path: string;
  readonly apiVersion: string;
  /** Further parameters of the first page, each with its ampersand. */
  readonly parameters: string;
  /** What the list is of, for messages. */
  readonly content: string;
  /** The method of every page; GET where it is not given. */
  readonly method?: 'GET' | 'POST';
}

type ListCall = Pick<UpstreamCall, 'kind' | 'deadline'>;

interface ListPage {
  readonly rows: readonly unknown[];
  readonly response: UpstreamResponse;
  /** The parameters of the next page; null on the last. */
  readonly next: string | null;
}

const ownParameters = new Set(['api-version']);

/**
 * Reads a list page by page, always at Tributary's own address. Throws `UpstreamError`, also for a next link to another
 * list, to a page that was read already, or beyond 50 pages.
 */
export function readListPages(
  client: UpstreamClient,
  { upstream, path, apiVersion, parameters: first, content, method = 'GET' }: ListAddress,
  access: Access,
  call: ListCall = {},
): AsyncGenerator<ListPage> {
  const version = `api-version=${encodeURIComponent(apiVersion)}`;
  return followPages(upstream, first, async (parameters): Promise<ListPage> => {
    const response = await client.send({
      method,
      path: `${path}?${version}${parameters}`,
      access,
      ...call,
    });
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

/** As above, with rows whose texts hold no token and no address of the upstream. */
export async function* readRedactedPages(
  client: UpstreamClient,
  list: ListAddress,
  access: Access,
  call?: ListCall,
): AsyncGenerator<readonly unknown[]> {
  for await (const { rows, response } of readListPages(client, list, access, call))
    yield redactRows(rows, response, access.principal);
}

// How long the event loop may be blocked by the redaction of one list.
const sliceMs = 5;

/** In slices on the cooperative queue of a caller. */
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
