import type { Caller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { empty, readParameters } from '../http.ts';
import type { ChosenIds } from './chosen-ids.ts';
import { createRecord } from './create.ts';
import { deleteRecord } from './delete.ts';
import type { Dialect } from './dialect.ts';
import { readRecordBody } from './field-values.ts';
import { checkIfMatch, checkIfMatchSent, expectJson, expectWriter } from './preconditions.ts';
import { readEntityOptions } from './query.ts';
import type { CollectionAddress, RecordAddress } from './record-answers.ts';
import { answerRecord, findIn, placeOf } from './record-answers.ts';
import type { Store } from './store.ts';
import { idOf } from './store.ts';
import { updateRecord } from './update.ts';

/** What writes work on. */
interface WriteData {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly chosenIds: ChosenIds;
}

/** Answers a POST to a collection with the whole new record and its address. */
export function answerCreate(
  call: Call,
  caller: Caller,
  address: CollectionAddress,
  data: WriteData,
): Answer {
  expectWriter(caller);
  expectJson(call);
  const { company, set } = address;
  const { store, dialect, chosenIds } = data;
  // Nothing is written before the query is known to be one that can be answered.
  readEntityOptions(readParameters(call.query), set, dialect);
  const record = createRecord({ store, company, dialect, chosenIds }, set, readRecordBody(call.body));
  const answer = answerRecord(201, call, record, placeOf(call, address), dialect);
  const location = `${call.origin}${call.path}(${idOf(record)})`;
  return { ...answer, headers: { ...answer.headers, location } };
}

/** Answers a PATCH with the whole record as it then is. */
export function answerUpdate(call: Call, caller: Caller, address: RecordAddress, data: WriteData): Answer {
  expectWriter(caller);
  expectJson(call);
  const { company, set } = address;
  const { store, dialect } = data;
  const record = findIn(address);
  checkIfMatch(call, record, dialect);
  readEntityOptions(readParameters(call.query), set, dialect);
  updateRecord(store, company, dialect, set, record, readRecordBody(call.body));
  return answerRecord(200, call, record, placeOf(call, address), dialect);
}

/** Answers a DELETE, which has no body and asks for none. */
export function answerDelete(call: Call, caller: Caller, address: RecordAddress, data: WriteData): Answer {
  expectWriter(caller);
  const { company, set } = address;
  const record = findIn(address);
  checkIfMatchSent(call, record, data.dialect);
  deleteRecord(data.store, company, set, record);
  return empty(204);
}
