import type { Answer, Call } from '../http.ts';
import { json, readParameters } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { BusinessAddress } from './address.ts';
import type { Dialect } from './dialect.ts';
import { findLine } from './document-lines.ts';
import { presentRecord } from './present.ts';
import { readEntityOptions } from './query.ts';
import type { RecordSet } from './records.ts';
import type { Company, StoredRecord } from './store.ts';
import { idOf, recordsOf } from './store.ts';

export type CollectionAddress = Extract<BusinessAddress, { kind: 'collection' }>;
export type RecordAddress = Extract<BusinessAddress, { kind: 'record' }>;

/** Where a record is, and what describes it. */
export interface Place {
  readonly set: RecordSet;
  readonly company: Company;
  readonly context: string;
}

/** The place of what an address leads to. */
export function placeOf(call: Call, { version, company, set }: CollectionAddress | RecordAddress): Place {
  const context = `${call.origin}/api/${version}/$metadata#companies(${idOf(company.record)})/${set.name}`;
  return { set, company, context };
}

/** Answers with one record, of which the query says what to show. */
export function answerRecord(
  status: number,
  call: Call,
  record: StoredRecord,
  { set, company, context }: Place,
  dialect: Dialect,
): Answer {
  const options = readEntityOptions(readParameters(call.query), set, dialect);
  return json(status, {
    '@odata.context': `${context}/$entity`,
    ...presentRecord(set, record, options, company),
  });
}

/** The record, or line, of an address; throws the refusal (404) where there is none. */
export function findIn({ set, company, id }: RecordAddress): StoredRecord {
  const record =
    set.linesOf === undefined ? recordsOf(company, set.name).get(id) : findLine(company, set, id);
  if (!record) {
    throw new Refusal(
      404,
      'BadRequest_ResourceNotFound',
      `Resource not found for the segment '${set.name}'.`,
    );
  }
  return record;
}
