import type { FieldKinds, RecordOf } from '../record-set.ts';

/**
 * What a record shows of a write whose outcome is unknown.
 *
 * `madeHere`: this write was carried out. `made`: it was, by this write or, less likely, by the same write of another client.
 * `asAsked`: the record is as asked for, and may have been before. `notMade`: the write was not carried out, so far.
 */
export interface Evidence<F extends FieldKinds> {
  readonly shows: 'madeHere' | 'made' | 'asAsked' | 'notMade' | 'nothing';
  readonly record: RecordOf<F> | null;
}

export const noEvidence = { shows: 'nothing', record: null } as const satisfies Evidence<FieldKinds>;
