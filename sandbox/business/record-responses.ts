import { ApiError, businessRuleError } from '../api-error.ts';
import { type ApiRequest, type ApiResponse, jsonResponse, parseQuery } from '../http.ts';
import type { BusinessAddress } from './address.ts';
import type { Dialect } from './dialect.ts';
import type { EntitySet } from './entity-set.ts';
import { presentRecord, readRecord } from './query/present.ts';
import { readEntityOptions } from './query/query.ts';
import { type Company, idOf, recordsOf, type StoredRecord } from './store.ts';

export type CollectionAddress = Extract<BusinessAddress, { kind: 'collection' }>;
export type RecordAddress = Extract<BusinessAddress, { kind: 'record' }>;

export interface RecordLocation {
  readonly set: EntitySet;
  readonly company: Company;
  readonly context: string;
}

export function locationFor(
  request: ApiRequest,
  { route, company, set }: CollectionAddress | RecordAddress,
): RecordLocation {
  const context = `${request.origin}/api/${route}/$metadata#companies(${idOf(company.record)})/${set.name}`;
  return { set, company, context };
}

/** Responds with a record, with the fields that the query selects. */
export function respondWithRecord(
  status: number,
  request: ApiRequest,
  record: StoredRecord,
  { set, company, context }: RecordLocation,
  dialect: Dialect,
): ApiResponse {
  const options = readEntityOptions(parseQuery(request.query), set, dialect);
  return jsonResponse(status, {
    '@odata.context': `${context}/$entity`,
    ...presentRecord(set, record, options, company),
  });
}

/** Returns the record or line of an address. Throws an `ApiError` (404) when there is none. */
export function findAddressedRecord(address: RecordAddress, dialect: Dialect): StoredRecord {
  const { set, company, id } = address;
  const record =
    set.linesOf === undefined
      ? readRecord(company, set, id)
      : findDocumentOfLine(address)?.lines.find((line) => line.values.id === id);
  if (!record) {
    throw recordNotFoundError(set, dialect);
  }
  return record;
}

/** Finds the document that a line belongs to; below a document, that one only. */
export function findDocumentOfLine({
  company,
  set,
  documentId,
  id,
}: RecordAddress): StoredRecord | undefined {
  const documents = recordsOf(company, set.linesOf ?? '');
  const candidates = documentId === undefined ? [...documents.values()] : [documents.get(documentId)];
  return candidates.find((document) => document?.lines.some((line) => line.values.id === id));
}

/** The lines below a document. Throws an `ApiError` (400) without one: lines are not listed by themselves. */
export function linesBelow({ company, set, documentId }: CollectionAddress): readonly StoredRecord[] {
  if (documentId === undefined)
    throw businessRuleError('You must specify an Id or a Document Id to get the lines.');
  return recordsOf(company, set.linesOf ?? '').get(documentId)?.lines ?? [];
}

export const recordNotFoundError = (
  { name }: EntitySet,
  { missingRecordCode: missingRecord }: Dialect,
): ApiError => new ApiError(404, missingRecord, `Resource not found for the segment '${name}'.`);
