import type { UpstreamName } from '../errors.ts';
import { badResponse } from './error-answers.ts';

/**
 * The parameters of a next link that are the upstream's own, as it wrote them; `ours` are those this layer
 * writes itself on every page, in lower case. Throws `UpstreamError` for a link that leads elsewhere than `path`.
 *
 * Only they are used, on this layer's own address: whatever host a next link names, nothing is sent there.
 */
export function continuationOf(
  upstream: UpstreamName,
  nextLink: string,
  path: string,
  ours: ReadonlySet<string>,
): string {
  const base = `http://upstream${path}`;
  const link = URL.canParse(nextLink, base) ? new URL(nextLink, base) : null;
  if (!link || !decoded(link.pathname).toLowerCase().endsWith(decoded(path).toLowerCase()))
    throw badResponse(upstream, 'The upstream continues a list with another list.');
  const pairs = link.search.slice(1).split('&');
  const kept = pairs.filter((pair) => !ours.has(decoded(pair.split('=', 1)[0] ?? '').toLowerCase()));
  if (kept.join('') === '')
    throw badResponse(upstream, 'The upstream continues a list without saying where.');
  return kept.join('&');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
