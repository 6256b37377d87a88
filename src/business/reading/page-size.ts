import { UpstreamError } from '../../errors.ts';
import { hasHalvingFailed } from '../../odata/read-batches.ts';

/**
 * The page size of one list: a page that times out at the upstream is requested again with half as many rows, and later
 * pages keep that size. The reader of the list joins the shorter pages.
 */
export interface PageSize {
  /** Reads a page of at most `wanted` rows; `read` gets the size to request. Throws the error of the last `read`. */
  read<Page>(wanted: number, read: (size: number) => Promise<Page>): Promise<Page>;
}

// Three halvings reach an eighth: a list that always times out is requested four times.
const smallestFraction = 8;
const fewestRows = 5;

export function createPageSize(): PageSize {
  let atMost = Number.POSITIVE_INFINITY;
  let floor: number | null = null;

  return {
    async read(wanted, read) {
      for (;;) {
        const size = Math.min(wanted, atMost);
        try {
          return await read(size);
        } catch (error) {
          floor ??= Math.max(fewestRows, Math.ceil(size / smallestFraction));
          const half = Math.max(floor, Math.ceil(size / 2));
          if (!isUpstreamTimeout(error) || half >= size) throw error;
          atMost = half;
        }
      }
    },
  };
}

/** Reads what these keys find, all at once, or where that times out at the upstream, fewer keys at a time. */
export async function readInParts<Row>(
  keys: readonly string[],
  read: (some: readonly string[]) => Promise<readonly Row[]>,
): Promise<readonly Row[]> {
  const pageSize = createPageSize();
  const found: Row[] = [];
  for (let at = 0; at < keys.length; ) {
    const some = await pageSize.read(keys.length - at, async (size) => {
      const part = keys.slice(at, at + size);
      found.push(...(await read(part)));
      return part;
    });
    at += some.length;
  }
  return found;
}

/**
 * Whether the upstream timed out (docs/upstream.md), rather than Tributary's own deadline. A timeout that persisted after
 * batches were halved is not caused by the page size.
 */
const isUpstreamTimeout = (error: unknown): boolean =>
  error instanceof UpstreamError &&
  (error.status === 504 || error.status === 408) &&
  !hasHalvingFailed(error);
