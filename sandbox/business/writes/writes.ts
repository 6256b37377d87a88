import type { Caller } from '../../bearer.ts';
import type { ApiRequest, ApiResponse } from '../../http.ts';
import { emptyResponse, parseQuery } from '../../http.ts';
import { readExactJsonObject } from '../../json-body.ts';
import type { Dialect } from '../dialect.ts';
import { addLine, removeLine, updateLine } from '../documents/line-writes.ts';
import { readEntityOptions } from '../query/query.ts';
import type { CollectionAddress, RecordAddress } from '../record-responses.ts';
import { findAddressedRecord, locationFor, respondWithRecord } from '../record-responses.ts';
import type { Store } from '../store.ts';
import { idOf } from '../store.ts';
import type { ClientIdPolicies } from './client-ids.ts';
import { createRecord } from './create.ts';
import { deleteRecord } from './delete.ts';
import {
  checkCanWrite,
  checkJsonContentType,
  checkOptionalIfMatch,
  checkRequiredIfMatch,
} from './preconditions.ts';
import { updateRecord } from './update.ts';

interface WriteData {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly clientIds: ClientIdPolicies;
}

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
  const { store, dialect, clientIds: chosenIds } = data;
  // Validates the query before anything is written.
  readEntityOptions(parseQuery(request.query), set, dialect);
  const body = readExactJsonObject(request.body);
  const record =
    set.linesOf === undefined
      ? createRecord({ store, company, dialect, clientIds: chosenIds }, set, body)
      : addLine(store, dialect, address, body);
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
