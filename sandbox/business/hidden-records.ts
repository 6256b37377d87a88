import { type ApiResponse, decodeSegment } from '../http.ts';
import { idOf, type StoredRecord } from './store.ts';

/** New records that reads of any store do not show yet. Writes see them. */
export interface HiddenRecords {
  /** Hides the created record of a 201 response. Ignores other responses. */
  hide(response: ApiResponse, ms: number): void;
  isHidden(id: string): boolean;
  withoutHidden(records: Iterable<StoredRecord>): Iterable<StoredRecord>;
}

export function createHiddenRecords(): HiddenRecords {
  // Ends of the hiding by id, in the time of `performance.now()`.
  const until = new Map<string, number>();
  const isHidden = (id: string) => (until.get(id) ?? 0) > performance.now();

  return {
    hide({ status, headers: { location = '' } }, ms) {
      if (status !== 201) return;
      const segment = decodeSegment(location.slice(location.lastIndexOf('/') + 1)) ?? '';
      until.set(segment.slice(segment.indexOf('(') + 1, -1), performance.now() + ms);
    },
    isHidden,
    withoutHidden: (records) =>
      until.size === 0 ? records : [...records].filter((record) => !isHidden(idOf(record))),
  };
}
