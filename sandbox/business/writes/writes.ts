import { businessRuleError } from '../../api-error.ts';
import type { Caller } from '../../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse, parseQuery } from '../../http.ts';
import { readExactJsonObject } from '../../json-checks.ts';
import {
  type CollectionAddress,
  findAddressedRecord,
  locationFor,
  type RecordAddress,
  respondWithRecord,
} from '../address.ts';
import { type Dialect, duplicateKeyError } from '../dialect.ts';
import { addLine, removeLine, updateLine } from '../documents/line-writes.ts';
import { checkIsDraft, createOrderDocument, updatedDocument } from '../documents/order-documents.ts';
import { isDraft } from '../documents/totals.ts';
import type { Company, DocumentParty, EntitySet, RecordValues, StoredRecord } from '../entity-set.ts';
import { entitySets } from '../entity-sets.ts';
import { readEntityOptions } from '../query/query.ts';
import { resolveReferences } from '../references.ts';
import { findRecord, idOf, recordsOf, type Store } from '../store.ts';
import { type CreateContext, newRecordId, type WriteData, writableOnCreate } from './client-ids.ts';
import { blankValues, readFieldValues } from './field-values.ts';
import { nextNumber } from './number-series.ts';
import {
  checkCanWrite,
  checkJsonContentType,
  checkOptionalIfMatch,
  checkRequiredIfMatch,
} from './preconditions.ts';

/** Handles a POST to a collection. Responds with the new record and its location. */
export function handleCreate(
  request: ApiRequest,
  caller: Caller,
  address: CollectionAddress,
  data: WriteData,
): ApiResponse {
  checkCanWrite(caller);
  checkJsonContentType(request);
  const { company, set } = address;
  const { store, dialect, clientIds } = data;
  // Validates the query before anything is written.
  readEntityOptions(parseQuery(request.query), set, dialect);
  const body = readExactJsonObject(request.body);
  const context = { store, company, dialect, clientIds };
  const record = set.linesOf
    ? addLine(store, dialect, address, body)
    : set.document
      ? createOrderDocument(context, set, set.document, body)
      : createMasterRecord(context, set, body);
  const response = respondWithRecord(201, request, record, locationFor(request, address), dialect);
  const location = `${request.origin}${request.path}(${idOf(record)})`;
  return { ...response, headers: { ...response.headers, location } };
}

/** Handles a PATCH. Responds with the updated record. */
export function handleUpdate(
  request: ApiRequest,
  caller: Caller,
  address: RecordAddress,
  data: WriteData,
): ApiResponse {
  checkCanWrite(caller);
  checkJsonContentType(request);
  const { company, set } = address;
  const { store, dialect } = data;
  const record = findAddressedRecord(address, data.dialect);
  checkRequiredIfMatch(request, record, dialect);
  readEntityOptions(parseQuery(request.query), set, dialect);
  const body = readExactJsonObject(request.body);
  if (set.linesOf === undefined) updateRecord(store, company, dialect, set, record, body);
  else updateLine(store, dialect, address, body);
  const updated = findAddressedRecord(address, dialect);
  return respondWithRecord(200, request, updated, locationFor(request, address), dialect);
}

/** Handles a DELETE. Responds without a body. */
export function handleDelete(
  request: ApiRequest,
  caller: Caller,
  address: RecordAddress,
  data: WriteData,
): ApiResponse {
  checkCanWrite(caller);
  const { company, set } = address;
  const record = findAddressedRecord(address, data.dialect);
  checkOptionalIfMatch(request, record, data.dialect);
  if (set.linesOf === undefined) deleteRecord(data.store, company, set, record);
  else removeLine(data.store, address);
  return emptyResponse(204);
}

type RecordBody = Readonly<Record<string, unknown>>;

/**
 * Creates a record that is no document and no line. A number left out or blank is the next of the series, where the set has one. Every other field
 * left out is unset or has the default of the set (gap: see docs/upstream.md).
 */
function createMasterRecord(context: CreateContext, set: EntitySet, body: RecordBody): StoredRecord {
  const { store, company, dialect } = context;
  const values = readFieldValues(set, body, writableOnCreate(context, set));
  const { id: clientId, number = '', ...others } = values;
  const given = number === '' ? others : { ...others, number };
  checkValues(company, dialect, set, given);
  const created: RecordValues = {
    ...blankValues(set),
    ...resolveReferences(set, { ...set.createDefaults?.(others, company), ...given }, company),
    id: newRecordId(context, set, clientId),
    ...(set.numberSeries && number === '' && { number: nextNumber(company, set) }),
    lastModifiedDateTime: new Date().toISOString(),
  };
  const complete = { ...created, ...set.derive?.(created) };
  return store.add(company, set.name, complete);
}

/**
 * Changes a record by a PATCH body, or throws and changes nothing. Fields left out keep their values, or follow
 * from the fields that change (A, update rule 1).
 */
function updateRecord(
  store: Store,
  company: Company,
  dialect: Dialect,
  set: EntitySet,
  record: StoredRecord,
  body: Readonly<Record<string, unknown>>,
): void {
  const changes = readFieldValues(set, body);
  if (set.document) {
    const { values, lines } = updatedDocument(company, set, record, changes);
    store.change(company, set.name, record, values, lines);
    return;
  }
  checkValues(company, dialect, set, changes, record);
  const values = { ...record.values, ...resolveReferences(set, changes, company) };
  store.change(company, set.name, record, { ...values, ...set.derive?.(values) });
}

/**
 * Deletes a record, and the lines of an order or quote with it. Throws an `ApiError` and deletes nothing when an
 * order or a quote refers to the record (gap: see docs/upstream.md).
 */
function deleteRecord(store: Store, company: Company, set: EntitySet, record: StoredRecord): void {
  if (set.document) checkIsDraft(set.document, record.values);
  const document = findReferringDocument(company, set, record);
  if (document !== undefined) {
    const caption = set.typeName.charAt(0).toUpperCase() + set.typeName.slice(1);
    const phrase = set.name === 'items' ? 'that includes this item' : `for this ${set.typeName}`;
    throw businessRuleError(
      `You cannot delete ${caption} ${record.values.number} because there is at least one outstanding ${document} ${phrase}.`,
    );
  }
  store.remove(company, set.name, record);
}

const documentSets = entitySets.filter(({ document }) => document !== undefined);

/**
 * Name, in messages, of a type of document that refers to a record, and is not posted: in its lines to an item, in its header to a
 * customer or vendor; undefined when none does.
 */
function findReferringDocument(company: Company, set: EntitySet, record: StoredRecord): string | undefined {
  const id = idOf(record);
  const isPartyOf = (party: DocumentParty | undefined, { values }: StoredRecord) =>
    party?.set === set.name && [values[party.idField], values[party.payerIdField]].includes(id);
  const isItemOf = ({ lines }: StoredRecord) =>
    set.name === 'items' && lines.some(({ values }) => values.itemId === id);
  const found = documentSets.find(({ name, document }) =>
    [...recordsOf(company, name).values()].some(
      (one) =>
        (document?.draftPrefix === undefined || isDraft(one.values)) &&
        (isPartyOf(document?.party, one) || isItemOf(one)),
    ),
  );
  return found?.document?.caption;
}

/**
 * Throws an `ApiError` for well-formed values that the business rules reject: a blank number, a number that
 * another record has, or what the set itself rejects. `own` is the record that is updated.
 */
function checkValues(
  company: Company,
  dialect: Dialect,
  set: EntitySet,
  values: RecordValues,
  own?: StoredRecord,
): void {
  const { number } = values;
  set.validate?.(values, own === undefined, company);
  if (number === '') throw businessRuleError('A "number" must be provided.');
  if (number === undefined) return;
  const holder = findRecord(company, set.name, 'number', number);
  if (holder && holder !== own) throw duplicateKeyError(dialect, set, `No.='${number}'`);
}
