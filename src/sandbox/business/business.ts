import type { BearerCodes, Caller } from '../bearer.ts';
import { forbidden, readCaller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { isJson, json, readParameters } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { BusinessAddress } from './address.ts';
import { readAddress, segmentNotFound } from './address.ts';
import type { PartAnswerer } from './batch.ts';
import { answerBatch, isBatchPath } from './batch.ts';
import type { Collection } from './collection.ts';
import { answerCollection, answerCount } from './collection.ts';
import type { Dialect } from './dialect.ts';
import { findLine, linesAsked } from './document-lines.ts';
import { readRecordBody } from './field-values.ts';
import type { PageTokens } from './page-tokens.ts';
import { checkIfMatch } from './preconditions.ts';
import { presentRecord } from './present.ts';
import { readEntityOptions } from './query.ts';
import type { RecordSet } from './records.ts';
import { createSalesOrder } from './sales-orders.ts';
import type { Company, Store, StoredRecord } from './store.ts';
import { idOf, recordsOf } from './store.ts';
import { updateRecord } from './update.ts';

/** What area A works on; a reset replaces it, and a batch that is a transaction may replace the store. */
export interface BusinessData {
  store: Store;
  /** What plain reads see while a replica lags behind; undefined while none does. */
  readonly replica: Store | undefined;
  readonly pages: PageTokens;
  readonly dialect: Dialect;
  /** Whether the v1.0 shape of items is there, for which alone that version exists. */
  readonly hasItemV1: boolean;
}

const codes: BearerCodes = {
  missing: 'Authentication_InvalidCredentials',
  expired: 'Authentication_InvalidCredentials',
  denied: 'Authorization_RequestDenied',
};

/** The longest query string the service takes. */
const maxQueryLength = 8_099;

/**
 * Answers a request of area A. Refusals come as OData errors whose CorrelationId is the `request-id`
 * header. `answerPart` stands between a batch and its parts.
 */
export function answerBusiness(call: Call, data: BusinessData, answerPart: PartAnswerer): Answer {
  const headers = {
    'odata-version': '4.0',
    'cache-control': 'no-cache, no-store',
    'request-id': call.requestId,
  };
  try {
    const answer = route(call, data, answerPart);
    const contentType = 'application/json; odata.metadata=minimal; odata.streaming=true';
    const isJsonAnswer = answer.headers['content-type'] === 'application/json';
    return {
      ...answer,
      headers: { ...headers, ...answer.headers, ...(isJsonAnswer ? { 'content-type': contentType } : {}) },
    };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const message = `${error.message}  CorrelationId:  ${call.requestId}.`;
    return json(
      error.status,
      { error: { code: error.code, message } },
      { ...headers, ...error.extras.headers },
    );
  }
}

function route(call: Call, data: BusinessData, answerPart: PartAnswerer): Answer {
  const caller = readCaller(call, codes);
  if (call.query.length > maxQueryLength) {
    throw new Refusal(
      414,
      'BadRequest_InvalidRequestUrl',
      `The query string is longer than ${maxQueryLength} characters.`,
    );
  }
  if (!data.hasItemV1 && /^\/api\/v1\.0(\/|$)/.test(call.path)) throw segmentNotFound('v1.0');
  if (call.isBodyTooLarge) throw new Refusal(413, 'BadRequest', 'The request body is too large.');
  if (isBatchPath(call.path)) {
    return answerBatch(call, data, (part) => answerBusiness(part, data, answerPart), answerPart);
  }

  const { dialect } = data;
  const address = readAddress(call.path, storeFor(call, data), dialect);
  if (address.kind === 'companies') {
    expectMethod(call, address, 'GET');
    return answerCompanies(call, address, data);
  }
  if (address.kind === 'collection') {
    const canCreate = address.set.writes.includes('POST');
    if (call.method === 'POST' && canCreate) return createOrder(call, caller, address, data);
    expectMethod(call, address, ...(canCreate ? ['GET', 'POST'] : ['GET']));
    const collection = collectionAt(call, address, dialect);
    return address.isCount ? answerCount(collection, call) : answerCollection(collection, call, data.pages);
  }
  const canChange = address.set.writes.includes('PATCH');
  if (call.method === 'PATCH' && canChange) return patch(call, caller, address, data);
  expectMethod(call, address, ...(canChange ? ['GET', 'PATCH'] : ['GET']));
  return answerRecord(200, call, findIn(address), { ...address, context: contextOf(call, address) }, dialect);
}

/** Reads may be served by a replica, unless they ask for what writes see. */
function storeFor(call: Call, data: BusinessData): Store {
  const intent = String(call.headers['data-access-intent'] ?? '').trim();
  const isPlainRead = call.method === 'GET' && !/^ReadWrite$/i.test(intent);
  return (isPlainRead ? data.replica : undefined) ?? data.store;
}

type CompaniesAddress = Extract<BusinessAddress, { kind: 'companies' }>;
type CollectionAddress = Extract<BusinessAddress, { kind: 'collection' }>;
type RecordAddress = Extract<BusinessAddress, { kind: 'record' }>;

function answerCompanies(call: Call, { company }: CompaniesAddress, data: BusinessData): Answer {
  const { dialect } = data;
  const set = dialect.set('companies');
  const context = `${call.origin}/api/v2.0/$metadata#companies`;
  if (company) return answerRecord(200, call, company.record, { set, company, context }, dialect);
  const all = [...data.store.companies.values()];
  const [first] = all;
  if (!first) throw new TypeError('expected a store with companies');
  const collection: Collection = {
    set,
    company: first,
    dialect,
    records: () => all.map(({ record }) => record),
    address: `${call.origin}${call.path}`,
    context,
  };
  return answerCollection(collection, call, data.pages);
}

function createOrder(call: Call, caller: Caller, address: CollectionAddress, data: BusinessData): Answer {
  expectWriter(call, caller);
  const { company, set } = address;
  const { store, dialect } = data;
  readEntityOptions(readParameters(call.query), set, dialect);
  const record = createSalesOrder(store, company, dialect, readRecordBody(call.body));
  const location = `${call.origin}${call.path}(${idOf(record)})`;
  const place = { set, company, context: contextOf(call, address) };
  const answer = answerRecord(201, call, record, place, dialect);
  return { ...answer, headers: { ...answer.headers, location } };
}

function patch(call: Call, caller: Caller, address: RecordAddress, data: BusinessData): Answer {
  expectWriter(call, caller);
  const { company, set } = address;
  const record = findIn(address);
  const { store, dialect } = data;
  checkIfMatch(call, record, dialect);
  readEntityOptions(readParameters(call.query), set, dialect);
  updateRecord(store, company, set, record, readRecordBody(call.body));
  return answerRecord(200, call, record, { set, company, context: contextOf(call, address) }, dialect);
}

interface Place {
  readonly set: RecordSet;
  readonly company: Company;
  readonly context: string;
}

function answerRecord(
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

function collectionAt(call: Call, address: CollectionAddress, dialect: Dialect): Collection {
  const { set, company } = address;
  return {
    set,
    company,
    dialect,
    records: (options) =>
      set.linesOf === undefined ? recordsOf(company, set.name).values() : linesAsked(company, set, options),
    address: `${call.origin}${call.path}`,
    context: contextOf(call, address),
  };
}

function contextOf(call: Call, { version, company, set }: CollectionAddress | RecordAddress): string {
  return `${call.origin}/api/${version}/$metadata#companies(${idOf(company.record)})/${set.name}`;
}

function findIn({ set, company, id }: RecordAddress): StoredRecord {
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

/** A content type is required on calls with a body (Endpoints, Headers). */
function expectWriter(call: Call, caller: Caller): void {
  if (caller.isReader) throw forbidden(codes);
  if (!isJson(call)) {
    throw new Refusal(415, 'BadRequest', 'The content type of the request body must be application/json.');
  }
}

function expectMethod(call: Call, address: BusinessAddress, ...allowed: string[]): void {
  if (allowed.includes(call.method)) return;
  const name = address.kind === 'companies' ? 'companies' : address.set.name;
  const edmType = address.kind === 'record' ? 'Entity' : 'Collection';
  throw new Refusal(
    405,
    'BadRequest_MethodNotAllowed',
    `'${call.method}' requests for '${name}' of EdmType '${edmType}' are not allowed within the OData web services.`,
    { headers: { allow: allowed.join(', ') } },
  );
}
