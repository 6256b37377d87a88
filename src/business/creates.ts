import { isPutOff, UpstreamError } from '../errors.ts';
import { alreadyExists, isKeyTaken, outcomeUnknown, userErrorOf } from '../graph/user-errors.ts';
import type { WritePart } from '../upstream/batch.ts';
import { type Outcome, refusal, refused } from './outcomes.ts';
import type { Fields, RecordOf, RecordSet } from './records.ts';
import { holds } from './wanted.ts';
import { type Input, writeFields } from './write-fields.ts';
import {
  type Answered,
  lookFirmly,
  type Pending,
  type Prepared,
  partOf,
  seen,
  type Target,
  type Writer,
} from './writer.ts';

/** A record to create; its id is the one its caller chose. */
export interface Creation extends Target {
  readonly fields: Input;
}

/** A create on its way, under an id or, with null, under whichever the upstream gives. */
interface Sending<F extends Fields> {
  readonly write: Pending<F>;
  readonly id: string | null;
  partUnder(id: string | null): WritePart;
}

export function prepareCreation<F extends Fields>(
  writer: Writer,
  set: RecordSet<F>,
  creation: Creation,
): Prepared<F> {
  const { path, fields, companyId } = creation;
  const { body, faults } = writeFields(set, writer.dialect, fields, path);
  if (faults.length > 0) return { faults };
  const id = writer.chosenIds.idFor(set.entitySet, creation.id);
  const query = writer.bringAlong(set);
  const partUnder = (under: string | null) => {
    const whole = under === null ? body : { id: under, ...body };
    return partOf('POST', set, { companyId, id: null }, { body: whole, query });
  };
  const write = writer.begin(set, { companyId, id: null, path }, fields);
  const sending = { write, id, partUnder };
  return {
    part: partUnder(id),
    settle: (first) => settleCreation(writer, creation, sending, write.tell(first)),
  };
}

const lookHere = 'Look for the record before creating it again.';

/**
 * What became of a POST whose first sending ended in `first`.
 *
 * Where that says nothing, the id does: there is a record under it, then that is the result. There is none, and
 * the set is trusted to keep ids, then the create is sent again, as often as there is patience; a second record
 * cannot come of it. Else nobody can tell. Throws `UpstreamError` for what a caller cannot act on.
 */
async function settleCreation<F extends Fields>(
  writer: Writer,
  creation: Creation,
  sending: Sending<F>,
  first: Answered<F>,
): Promise<Outcome<F>> {
  const { write, id, partUnder } = sending;
  const { set } = write;
  if (!(first instanceof UpstreamError)) return made(writer, write, first, id);
  if (first.fate !== 'unknown') return settleRefusal(writer, creation, sending, first);

  const unknown = (record: RecordOf<F> | null = null) => ({
    record,
    userErrors: [outcomeUnknown(first, lookHere)],
  });
  if (id === null) return unknown();
  let failure = first;
  for (;;) {
    const record = await lookFirmly(write, id);
    if (record instanceof UpstreamError) return unknown();
    const isTrusted = writer.chosenIds.isTrusted(set.entitySet);
    if (record !== null) {
      // A record under an id of the caller's may be older than this create.
      const isResult = creation.id === null || holds(set, record, creation.fields);
      return isResult ? { record, userErrors: [] } : unknown(record);
    }
    if (!isTrusted) return unknown();
    // Without a number of its own the key that is taken can only be the id: it was made, and is not yet seen.
    const isUnseen = isKeyTaken(failure) && creation.fields.number == null;
    if (failure.fate === 'refused' && !isPutOff(failure) && !isUnseen)
      return refusal(userErrorOf(failure, lookHere) ?? outcomeUnknown(first, lookHere));
    if (!(await write.pause(failure))) return unknown();
    if (isUnseen) continue;

    const again = await write.send(partUnder(id));
    if (!(again instanceof UpstreamError)) return made(writer, write, again, id);
    failure = again;
  }
}

async function made<F extends Fields>(
  { chosenIds }: Writer,
  write: Pending<F>,
  answer: RecordOf<F> | null,
  sent: string | null,
): Promise<Outcome<F>> {
  if (answer && sent) chosenIds.learn(write.set.entitySet, sent, answer.id);
  return { record: answer ?? (sent === null ? null : await seen(write, sent)), userErrors: [] };
}

async function settleRefusal<F extends Fields>(
  writer: Writer,
  creation: Creation,
  { write, id, partUnder }: Sending<F>,
  failure: UpstreamError,
): Promise<Outcome<F>> {
  const { chosenIds } = writer;
  const { entitySet } = write.set;
  if (isKeyTaken(failure) && creation.id !== null) {
    const record = await seen(write, creation.id);
    return { record, userErrors: [alreadyExists(failure)] };
  }
  // Some upstreams refuse a create for its id alone. Nothing came of it, so it can be sent without.
  const isMaybeForId = id !== null && creation.id === null && chosenIds.isUnproven(entitySet);
  if (!isMaybeForId || failure.status !== 400 || isKeyTaken(failure))
    return refusal(refused(failure, lookHere));
  const again = await write.send(partUnder(null));
  if (again instanceof UpstreamError) return refusal(refused(again, lookHere));
  chosenIds.isRefused(entitySet);
  return made(writer, write, again, null);
}
