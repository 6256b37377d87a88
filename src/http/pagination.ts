import type { UpstreamName } from '../errors.ts';
import { badResponseError } from './errors.ts';

/** Reads a next link: null at the end of a list, undefined for an invalid one, after which nobody can continue. */
export function readNextLink(value: unknown): string | null | undefined {
  if (value == null || value === '') return null;
  return typeof value === 'string' ? value : undefined;
}

/**
 * Reads the parameters of a next link that the upstream has added, as it wrote them; `ours` are the names, in lower case, of
 * those that Tributary writes on every page itself. Throws `UpstreamError` for a link to another path.
 *
 * The parameters are appended to Tributary's own address: no request is sent to the host that a next link names.
 */
export function readContinuation(
  upstream: UpstreamName,
  nextLink: string,
  path: string,
  ours: ReadonlySet<string>,
): string {
  const base = `http://upstream${path}`;
  const link = URL.canParse(nextLink, base) ? new URL(nextLink, base) : null;
  if (!link || !decodeOrKeep(link.pathname).toLowerCase().endsWith(decodeOrKeep(path).toLowerCase()))
    throw badResponseError(upstream, 'The upstream sent a next link to another list.');
  const pairs = link.search.slice(1).split(pairSeparator);
  const kept = pairs.filter((pair) => !ours.has(decodeOrKeep(pair.split('=', 1)[0] ?? '').toLowerCase()));
  if (kept.join('') === '')
    throw badResponseError(upstream, 'The upstream sent a next link without a position.');
  return kept.join('&');
}

// The real service appends `?$skipToken=` even to a URL that has a query (docs/upstream.md).
const pairSeparator = /&|\?(?=(?:\$|%24)\w+=)/i;

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A longer list is a fault of the upstream: its next links do not end. */
export const maxListPages = 50;

/**
 * Reads a list page by page, from a position to its end. Throws `UpstreamError` for a next link to a page that was read
 * already, and beyond 50 pages.
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
