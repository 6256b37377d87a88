import { setTimeout as sleep } from 'node:timers/promises';
import { failureOf, isPutOff, UpstreamError } from '../errors.ts';
import { type Selection, selectionWith } from '../graph/selection.ts';
import type { UserError } from '../graph/user-errors.ts';
import type { Access } from '../upstream/access.ts';
import { type Attempt, attempt, type WritePart } from '../upstream/batch.ts';
import type { Client } from '../upstream/client.ts';
import { badResponse } from '../upstream/error-answers.ts';
import { queryString, readEntity } from '../upstream/odata.ts';
import type { ChosenIds } from './chosen-ids.ts';
import type { Dialect } from './dialect.ts';
import type { Outcome } from './outcomes.ts';
import { createDeadline, createPatience } from './patience.ts';
import { nullWhenAbsent, type Reads } from './reads.ts';
import type { Fields, RecordOf, RecordSet } from './records.ts';
import { createView, fullView, pathOf, readRecord, viewOf, withOptions } from './views.ts';
import { type Body, type Input, namesIn } from './write-fields.ts';

/** How one sending of a write ended: with a record, carried out without one being shown, or with a failure. */
export type Answered<F extends Fields> = RecordOf<F> | null | UpstreamError;

/** The record of a write. */
export interface Target {
  readonly companyId: string;
  /** Null where the upstream gives the id. */
  readonly id: string | null;
  /** Leads from the mutation's `input` to what is written of the record. */
  readonly path: readonly string[];
}

/** One write on its way. Nothing here throws `UpstreamError`: failures are values. */
export interface Pending<F extends Fields> extends Target {
  readonly set: RecordSet<F>;
  /** What an attempt tells. A record of another id is no answer. */
  tell(result: Attempt): Answered<F>;
  /** Sends it, or sends it again. */
  send(part: WritePart): Promise<Answered<F>>;
  /** The record under an id as it now stands, null when there is none. */
  look(id: string): Promise<Answered<F>>;
  /** Waits after a failure; false when this write has been waited for long enough. */
  pause(failure: UpstreamError): Promise<boolean>;
}

/**
 * A write ready to be sent, and what tells its outcome from its first sending; or why it is not sent at all.
 * `settle` throws `UpstreamError` for what a caller cannot act on: then nothing was carried out.
 */
export type Prepared<F extends Fields> =
  | { readonly part: WritePart; settle(first: Attempt): Promise<Outcome<F>> }
  | { readonly faults: readonly UserError[] };

/** What the writes of one mutation have in common. */
export interface Writer {
  readonly dialect: Dialect;
  readonly chosenIds: ChosenIds;
  /** What the address of a create asks its answer to bring along: a query string, or ''. */
  bringAlong(set: RecordSet): string;
  /** A write that gives values to the fields of `input`: they are looked at beside those selected. */
  begin<F extends Fields>(set: RecordSet<F>, target: Target, input: Input): Pending<F>;
}

export interface WriterOptions {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly chosenIds: ChosenIds;
}

/** Where records are written. */
export const writeRoot = '/api/v2.0';

export function createWriter(
  { client, dialect, chosenIds }: WriterOptions,
  access: Access,
  reads: Reads,
  selection: Selection,
): Writer {
  const deadline = createDeadline();
  // What has to be sent again goes one by one, and nothing while the upstream asks to wait.
  let turn: Promise<unknown> = Promise.resolve();
  const sendInTurn = ({ url, ...call }: WritePart): Promise<Attempt> => {
    const sent = turn.then(() =>
      deadline.left() > 0
        ? attempt(client, access, { ...call, path: `${writeRoot}/${url}`, kind: 'write' })
        : outOfTime(),
    );
    const afterwards = async (result: Attempt) => {
      const seconds = result instanceof UpstreamError ? result.retryAfterSeconds : null;
      if (seconds) await sleep(Math.max(0, Math.min(seconds * 1_000, deadline.left())));
    };
    // A mistake belongs to whoever asked for this one; the next take their turn.
    turn = sent.then(afterwards).catch(() => {});
    return sent;
  };

  return {
    dialect,
    chosenIds,
    bringAlong(set) {
      const { $expand } = viewOf(set, dialect, selection).options;
      return dialect.expandsCreated ? queryString({ $expand }) : '';
    },
    begin(set, target, input) {
      const { companyId, id } = target;
      const { pause } = createPatience(deadline);
      const tell: Pending<typeof set.fields>['tell'] = (result) => {
        if (result instanceof UpstreamError) return result;
        if (result.body === null) return null;
        try {
          return expected(readRecord(fullView(set, dialect), readEntity(result), companyId), id);
        } catch (error) {
          return failureOf(error);
        }
      };
      return {
        ...target,
        set,
        tell,
        pause,
        send: async (part) => tell(await sendInTurn(part)),
        async look(id) {
          const wanted = selectionWith(selection, namesIn(set, input));
          const view = createView(set, dialect, wanted.fields(set.type), wanted);
          const path = withOptions(pathOf(set, companyId, id), view);
          // Past replicas, and past every read that was under way before now.
          reads.startOver();
          try {
            const answer = await reads.get(path, { keys: 1, kind: 'poll' }).catch(nullWhenAbsent);
            return answer && expected(readRecord(view, readEntity(answer), companyId), id);
          } catch (error) {
            return failureOf(error);
          }
        },
      };
    },
  };
}

const outOfTime = () =>
  new UpstreamError('UPSTREAM_TIMEOUT', 'There was no time left to send it again.', {
    upstream: 'business',
    fate: 'unsent',
  });

/** The record itself, unless another was wanted. */
const expected = <R extends { readonly id: string }>(record: R, id: string | null): R | UpstreamError =>
  id === null || record.id === id
    ? record
    : badResponse('business', 'The upstream answered with another record.');

/** A write as a part of a batch, or to be sent by itself. */
export function partOf(
  method: WritePart['method'],
  set: RecordSet,
  { companyId, id }: Pick<Target, 'companyId' | 'id'>,
  { ifMatch, body, query = '' }: { readonly ifMatch?: string; readonly body?: Body; readonly query?: string },
): WritePart {
  return {
    method,
    url: pathOf(set, companyId, id ?? undefined).slice(`${writeRoot}/`.length) + query,
    headers: ifMatch === undefined ? {} : { 'if-match': ifMatch },
    ...(body && { body }),
  };
}

/** The record as it now stands, or null: a failure to read it must not hide, or delay, what became of the write. */
export async function seen<F extends Fields>(write: Pending<F>, id: string): Promise<RecordOf<F> | null> {
  const record = await write.look(id);
  return record instanceof UpstreamError ? null : record;
}

/** The record as it now stands, looked for as long as there is patience: what became of the write hangs on it. */
export async function lookFirmly<F extends Fields>(write: Pending<F>, id: string): Promise<Answered<F>> {
  for (;;) {
    const record = await write.look(id);
    if (!(record instanceof UpstreamError)) return record;
    const isLasting = record.fate === 'refused' && !isPutOff(record);
    if (isLasting || !(await write.pause(record))) return record;
  }
}
