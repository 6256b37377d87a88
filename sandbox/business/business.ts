import { ApiError, methodNotAllowedError } from '../api-error.ts';
import { type Caller, readCaller } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, decodeSegment, emptyResponse, jsonResponse } from '../http.ts';
import {
  type BusinessAddress,
  type CollectionAddress,
  type CompaniesAddress,
  type FileAddress,
  findAddressedRecord,
  linesBelow,
  locationFor,
  parseAddress,
  recordNotFoundError,
  respondWithRecord,
  segmentNotFoundError,
} from './address.ts';
import { handleBatch, isBatchPath, type PartHandler } from './batch.ts';
import type { Dialect } from './dialect.ts';
import { handleAction } from './documents/actions.ts';
import type { StoredRecord } from './entity-set.ts';
import { respondWithMetadata } from './metadata.ts';
import { type Collection, type PageTokens, respondWithCollection } from './query/collection.ts';
import { readRecords } from './query/present.ts';
import { idOf, type Store } from './store.ts';
import type { ClientIdPolicies } from './writes/client-ids.ts';
import { businessTokenErrors, checkCanWrite, checkRequiredIfMatch } from './writes/preconditions.ts';
import { handleCreate, handleDelete, handleUpdate } from './writes/writes.ts';

/** The state of area A. A reset replaces it. A batch that is a transaction can replace the store. */
export interface BusinessData {
  store: Store;
  /** The store for plain reads while the replica lags; undefined otherwise. */
  readonly replica: Store | undefined;
  readonly hiddenRecords: HiddenRecords;
  readonly pages: PageTokens;
  readonly dialect: Dialect;
  readonly clientIds: ClientIdPolicies;
  /** Whether v1.0 exists, which has items only. */
  readonly hasItemV1: boolean;
}

/** The longest query string that the service accepts. */
const maxQueryLength = 8_099;

/**
 * Handles a request of area A. Errors are OData errors whose CorrelationId is the `request-id` header.
 * `handlePart` wraps the execution of each part of a batch.
 */
export function handleBusinessRequest(
  request: ApiRequest,
  data: BusinessData,
  handlePart: PartHandler,
): ApiResponse {
  try {
    return withBusinessHeaders(request, routeBusinessRequest(request, data, handlePart));
  } catch (error) {
    return businessErrorResponse(request, error);
  }
}

/** Adds the headers of area A. */
export function withBusinessHeaders(request: ApiRequest, response: ApiResponse): ApiResponse {
  const contentType = 'application/json; odata.metadata=minimal; odata.streaming=true';
  const isJsonAnswer = response.headers['content-type'] === 'application/json';
  return {
    ...response,
    headers: {
      ...businessHeaders(request),
      ...response.headers,
      ...(isJsonAnswer ? { 'content-type': contentType } : {}),
    },
  };
}

/** Converts an `ApiError` to a response of area A. Throws any other error. */
export function businessErrorResponse(request: ApiRequest, error: unknown): ApiResponse {
  if (!(error instanceof ApiError)) throw error;
  const message = `${error.message}  CorrelationId:  ${request.requestId}.`;
  return jsonResponse(
    error.status,
    { error: { code: error.code, message } },
    { ...businessHeaders(request), ...error.extras.headers },
  );
}

function businessHeaders(request: ApiRequest): Record<string, string> {
  return { 'odata-version': '4.0', 'cache-control': 'no-cache, no-store', 'request-id': request.requestId };
}

/**
 * Returns the caller of a request of area A. Throws an `ApiError` when the token is rejected, or the query is too
 * long.
 */
export function authenticateCaller(request: ApiRequest): Caller {
  const caller = readCaller(request, businessTokenErrors);
  if (request.query.length > maxQueryLength) {
    throw new ApiError(
      414,
      'BadRequest_InvalidRequestUrl',
      `The query string is longer than ${maxQueryLength} characters.`,
    );
  }
  return caller;
}

function routeBusinessRequest(request: ApiRequest, data: BusinessData, handlePart: PartHandler): ApiResponse {
  const caller = authenticateCaller(request);
  if (!data.hasItemV1 && /^\/api\/v1\.0(\/|$)/.test(request.path)) throw segmentNotFoundError('v1.0');
  if (isBatchPath(request.path)) {
    return handleBatch(request, data, (part) => handleBusinessRequest(part, data, handlePart), handlePart);
  }
  const metadata = respondWithMetadata(request, data.dialect);
  if (metadata) return metadata;

  const { dialect } = data;
  const address = parseAddress(request.path, selectStore(request, data), dialect);
  if (address.kind === 'companies') {
    checkBusinessMethod(request, address, 'GET');
    return respondWithCompanies(request, address, data);
  }
  if (address.kind === 'file') {
    if (request.method === 'PATCH') return replaceFile(request, caller, address, data);
    checkBusinessMethod(request, address.of, 'GET', 'PATCH');
    return respondWithFile(address, dialect);
  }
  if (address.kind === 'action') {
    checkBusinessMethod(request, address.of, 'POST');
    return handleAction(request, caller, address, data);
  }
  const can = (method: 'POST' | 'PATCH' | 'DELETE') => address.set.writes.includes(method);
  if (address.kind === 'collection') {
    if (request.method === 'POST' && can('POST')) return handleCreate(request, caller, address, data);
    checkBusinessMethod(request, address, 'GET', ...(can('POST') ? ['POST'] : []));
    return respondWithCollection(collectionFor(request, address, data), request, data.pages);
  }
  if (request.method === 'PATCH' && can('PATCH')) return handleUpdate(request, caller, address, data);
  if (request.method === 'DELETE' && can('DELETE')) return handleDelete(request, caller, address, data);
  checkBusinessMethod(request, address, 'GET', ...address.set.writes.filter((method) => method !== 'POST'));
  const { id } = address;
  if (data.hiddenRecords.isHidden(id)) throw recordNotFoundError(address.set, dialect);
  return respondWithRecord(
    200,
    request,
    findAddressedRecord(address, dialect),
    locationFor(request, address),
    dialect,
  );
}

/**
 * Selects the replica for plain reads, and the primary for writes and reads with `Data-Access-Intent:
 * ReadWrite`.
 */
function selectStore(request: ApiRequest, data: BusinessData): Store {
  const intent = String(request.headers['data-access-intent'] ?? '').trim();
  const isPlainRead = request.method === 'GET' && !/^ReadWrite$/i.test(intent);
  return (isPlainRead ? data.replica : undefined) ?? data.store;
}

function respondWithCompanies(
  request: ApiRequest,
  { company, route }: CompaniesAddress,
  data: BusinessData,
): ApiResponse {
  const { dialect } = data;
  const set = dialect.set('companies');
  const context = `${request.origin}/api/${route}/$metadata#companies`;
  if (company) return respondWithRecord(200, request, company.record, { set, company, context }, dialect);
  const all = [...data.store.companies.values()];
  const [first] = all;
  if (!first) throw new TypeError('expected a store with companies');
  const records = all.map(({ record }) => record);
  return respondWithCollection({ set, company: first, dialect, records, context }, request, data.pages);
}

function collectionFor(
  request: ApiRequest,
  address: CollectionAddress,
  { dialect, hiddenRecords }: BusinessData,
): Collection {
  const { set, company } = address;
  const isOfLines = set.linesOf !== undefined;
  const records = isOfLines ? linesBelow(address) : hiddenRecords.withoutHidden(readRecords(company, set));
  return { ...locationFor(request, address), dialect, records };
}

function checkBusinessMethod(
  request: ApiRequest,
  address: Exclude<BusinessAddress, { kind: 'action' | 'file' }>,
  ...allowed: string[]
): void {
  if (allowed.includes(request.method)) return;
  const name = address.kind === 'companies' ? 'companies' : address.set.name;
  const edmType = address.kind === 'record' ? 'Entity' : 'Collection';
  throw methodNotAllowedError(request.method, name, edmType, allowed.join(', '));
}

// The first bytes of types that browsers show.
const knownTypes: readonly (readonly [start: string, type: string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['25504446', 'application/pdf'],
];

/** Handles a GET of a file: one that was uploaded, or a PDF whose only content is a comment about the document. */
function respondWithFile({ name, of }: FileAddress, dialect: Dialect): ApiResponse {
  const { values } = findAddressedRecord(of, dialect);
  if (name === 'pdfDocument') {
    const name = values.customerName ?? values.vendorName;
    const body = `%PDF-1.4\n% (${values.number}) (${name}) (Total ${values.totalAmountIncludingTax})\n%%EOF\n`;
    return { status: 200, headers: { 'content-type': 'application/pdf' }, body };
  }
  const bytes = of.company.files.get(keyOf(of));
  if (!bytes) return emptyResponse(204);
  return { status: 200, headers: { 'content-type': typeOf(bytes) }, body: bytes };
}

/** Handles a PATCH of a picture or an attachment. */
function replaceFile(
  request: ApiRequest,
  caller: Caller,
  { name, of }: FileAddress,
  { store, dialect }: BusinessData,
): ApiResponse {
  checkCanWrite(caller);
  const record = findAddressedRecord(of, dialect);
  if (name === 'pdfDocument')
    throw new ApiError(405, 'BadRequest_MethodNotAllowed', 'A PDF cannot be replaced.');
  checkRequiredIfMatch(request, record, dialect);
  if (name === 'picture' && !typeOf(request.bytes).startsWith('image/'))
    throw new ApiError(400, 'Application_DialogException', 'The file is not a picture.');
  of.company.files.set(keyOf(of), request.bytes);
  if (name === 'attachmentContent')
    store.change(of.company, of.set.name, record, { ...record.values, byteSize: request.bytes.length });
  return emptyResponse(204);
}

const keyOf = ({ set, id }: FileAddress['of']) => `${set.name} ${id}`;
const startOf = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 8)).toString('hex');
const typeOf = (bytes: Uint8Array) =>
  knownTypes.find(([start]) => startOf(bytes).startsWith(start))?.[1] ?? 'application/octet-stream';

/** New records that reads of any store do not show yet. Writes see them. */
export type HiddenRecords = ReturnType<typeof createHiddenRecords>;

export function createHiddenRecords() {
  // Ends of the hiding by id, in the time of `performance.now()`.
  const until = new Map<string, number>();
  const isHidden = (id: string) => (until.get(id) ?? 0) > performance.now();

  return {
    /** Hides the created record of a 201 response. Ignores other responses. */
    hide({ status, headers: { location = '' } }: ApiResponse, ms: number): void {
      if (status !== 201) return;
      const segment = decodeSegment(location.slice(location.lastIndexOf('/') + 1)) ?? '';
      until.set(segment.slice(segment.indexOf('(') + 1, -1), performance.now() + ms);
    },
    isHidden,
    withoutHidden: (records: Iterable<StoredRecord>): Iterable<StoredRecord> =>
      until.size === 0 ? records : [...records].filter((record) => !isHidden(idOf(record))),
  };
}
