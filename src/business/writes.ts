import { failureOf, UpstreamError } from '../errors.ts';
import type { Selection } from '../graph/selection.ts';
import type { Access } from '../upstream/access.ts';
import { attempt, type WritePart, writeBatch } from '../upstream/batch.ts';
import { type Creation, prepareCreation } from './creates.ts';
import { prepareRemoval, type Removal } from './deletes.ts';
import { type Outcome, putOff, refusal, refused } from './outcomes.ts';
import type { Reads } from './reads.ts';
import type { Fields, RecordSet } from './records.ts';
import { type Change, prepareUpdate } from './updates.ts';
import { createWriter, type Prepared, type WriterOptions, writeRoot } from './writer.ts';

/**
 * The writes of one request. Each takes entries and gives their outcomes in the same order: one entry is sent by
 * itself, more as one batch. Throws `UpstreamError` when none was carried out and no caller can mend it.
 */
export interface Writes {
  create<F extends Fields>(set: RecordSet<F>, entries: readonly Creation[]): Promise<readonly Outcome<F>[]>;
  update<F extends Fields>(set: RecordSet<F>, entries: readonly Change[]): Promise<readonly Outcome<F>[]>;
  remove<F extends Fields>(set: RecordSet<F>, entries: readonly Removal[]): Promise<readonly Outcome<F>[]>;
}

export function createWrites(
  options: WriterOptions,
  access: Access,
  reads: Reads,
  selection: Selection,
): Writes {
  const { client } = options;
  const newWriter = () => createWriter(options, access, reads, selection);

  const sendAll = async (parts: readonly WritePart[]) => {
    const [only, ...others] = parts;
    if (!only) return [];
    if (others.length > 0) return writeBatch(client, writeRoot, access, parts);
    const { url, ...call } = only;
    return [await attempt(client, access, { ...call, path: `${writeRoot}/${url}`, kind: 'write' })];
  };

  const carryOut = async <F extends Fields>(
    prepared: readonly Prepared<F>[],
  ): Promise<readonly Outcome<F>[]> => {
    const sent = prepared.filter((entry) => 'part' in entry);
    const attempts = await sendAll(sent.map(({ part }) => part)).catch(failureOf);
    if (attempts instanceof UpstreamError) {
      const userError = refused(attempts, 'Nothing was carried out.');
      return prepared.map((entry) => refusal(...('faults' in entry ? entry.faults : [userError])));
    }
    // One entry's failure must not take the others' outcomes with it.
    const settled = await Promise.all(
      sent.map(({ settle }, index) => settle(attempts[index] as (typeof attempts)[number]).catch(failureOf)),
    );
    const failures = settled.filter((outcome) => outcome instanceof UpstreamError);
    if (failures[0] && failures.length === sent.length) throw failures[0];
    const outcomes = settled.values();
    return prepared.map((entry) => {
      if ('faults' in entry) return refusal(...entry.faults);
      const outcome = outcomes.next().value as (typeof settled)[number];
      return outcome instanceof UpstreamError ? refusal(putOff(outcome)) : outcome;
    });
  };

  return {
    create(set, entries) {
      const writer = newWriter();
      return carryOut(entries.map((entry) => prepareCreation(writer, set, entry)));
    },
    update(set, entries) {
      const writer = newWriter();
      return carryOut(entries.map((entry) => prepareUpdate(writer, set, entry)));
    },
    remove(set, entries) {
      const writer = newWriter();
      return carryOut(entries.map((entry) => prepareRemoval(writer, set, entry)));
    },
  };
}
