import { type ApiResponse, decodeSegment } from '../http.ts';
import { idOf, type StoredRecord } from './store.ts';

/** New records that reads of any store do not show yet. Writes see them. */
export type HiddenRecords = ReturnType<typeof createHiddenRecords>;

export function createHiddenRecords() {
  // Ends of the hiding by id, in the time of `performance.now()`.
  const until = new Map<string, number>();
  const isHidden = (id: string) => (until.get(id) ?? 0) > performance.now();

  return {
    /** Hides the created record of a 201 response. Ignores other responses. */
    hide({ status, headers: { location = '' } }: ApiResponse, ms: number): void {
      if (status !== 201) return;
      const segment = decodeSegment(location.slice(location.lastIndexOf('/') + 1)) ?? '';
      until.set(segment.slice(segment.indexOf('(') + 1, -1), performance.now() + ms);
    },
    isHidden,
    withoutHidden: (records: Iterable<StoredRecord>): Iterable<StoredRecord> =>
      until.size === 0 ? records : [...records].filter((record) => !isHidden(idOf(record))),
  };
}
