import type { BearerCodes, Caller } from '../bearer.ts';
import { forbidden, readCaller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { isJson, json, readParameters } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { BusinessAddress } from './address.ts';
import { readAddress } from './address.ts';
import type { Collection } from './collection.ts';
import { answerCollection, answerCount } from './collection.ts';
import { readJsonObject } from './field-values.ts';
import { salesOrders } from './order-sets.ts';
import type { PageTokens } from './page-tokens.ts';
import { checkIfMatch } from './preconditions.ts';
import { presentRecord } from './present.ts';
import { readEntityOptions } from './query.ts';
import type { RecordSet } from './records.ts';
import { companies } from './reference-sets.ts';
import { createSalesOrder } from './sales-orders.ts';
import type { Company, Store, StoredRecord } from './store.ts';
import { idOf, recordsOf } from './store.ts';
import { updateRecord } from './update.ts';

/** What area A works on; a reset replaces it. */
export interface BusinessData {
  readonly store: Store;
  readonly pages: PageTokens;
}

const codes: BearerCodes = {
  missing: 'Authentication_InvalidCredentials',
  expired: 'Authentication_InvalidCredentials',
  denied: 'Authorization_RequestDenied',
};

/** The longest query string the service takes. */
const maxQueryLength = 8_099;

/** Answers a request of area A. Refusals come as OData errors whose CorrelationId is the `request-id` header. */
export function answerBusiness(call: Call, data: BusinessData): Answer {
  const headers = {
    'odata-version': '4.0',
    'cache-control': 'no-cache, no-store',
    'request-id': call.requestId,
  };
  try {
    const answer = route(call, data);
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

function route(call: Call, data: BusinessData): Answer {
  const caller = readCaller(call, codes);
  if (call.query.length > maxQueryLength) {
    throw new Refusal(
      414,
      'BadRequest_InvalidRequestUrl',
      `The query string is longer than ${maxQueryLength} characters.`,
    );
  }
  if (call.isBodyTooLarge) throw new Refusal(413, 'BadRequest', 'The request body is too large.');

  const address = readAddress(call.path, data.store);
  if (address.kind === 'companies') {
    expectMethod(call, address, 'GET');
    return answerCompanies(call, address, data);
  }
  if (address.kind === 'collection') {
    if (call.method === 'POST' && address.set === salesOrders)
      return createOrder(call, caller, address, data);
    expectMethod(call, address, ...(address.set === salesOrders ? ['GET', 'POST'] : ['GET']));
    const collection = collectionAt(call, address);
    return address.isCount ? answerCount(collection, call) : answerCollection(collection, call, data.pages);
  }
  if (call.method === 'PATCH' && address.version === 'v2.0') return patch(call, caller, address, data);
  expectMethod(call, address, ...(address.version === 'v2.0' ? ['GET', 'PATCH'] : ['GET']));
  return answerRecord(200, call, address.set, findIn(address), address.company, contextOf(call, address));
}

type CompaniesAddress = Extract<BusinessAddress, { kind: 'companies' }>;
type CollectionAddress = Extract<BusinessAddress, { kind: 'collection' }>;
type RecordAddress = Extract<BusinessAddress, { kind: 'record' }>;

function answerCompanies(call: Call, address: CompaniesAddress, data: BusinessData): Answer {
  const context = `${call.origin}/api/v2.0/$metadata#companies`;
  if (address.company) {
    return answerRecord(200, call, companies, address.company.record, address.company, context);
  }
  const all = [...data.store.companies.values()];
  const [first] = all;
  if (!first) throw new TypeError('expected a store with companies');
  const collection: Collection = {
    set: companies,
    company: first,
    records: all.map((company) => company.record),
    address: `${call.origin}${call.path}`,
    context,
  };
  return answerCollection(collection, call, data.pages);
}

function createOrder(call: Call, caller: Caller, address: CollectionAddress, data: BusinessData): Answer {
  expectWriter(call, caller);
  const { company, set } = address;
  readEntityOptions(readParameters(call.query), set);
  const record = createSalesOrder(data.store, company, readJsonObject(call.body));
  const location = `${call.origin}${call.path}(${idOf(record)})`;
  const answer = answerRecord(201, call, set, record, company, contextOf(call, address));
  return { ...answer, headers: { ...answer.headers, location } };
}

function patch(call: Call, caller: Caller, address: RecordAddress, data: BusinessData): Answer {
  expectWriter(call, caller);
  const { company, set } = address;
  const record = findIn(address);
  checkIfMatch(call, record);
  readEntityOptions(readParameters(call.query), set);
  updateRecord(data.store, company, set, record, readJsonObject(call.body));
  return answerRecord(200, call, set, record, company, contextOf(call, address));
}

function answerRecord(
  status: number,
  call: Call,
  set: RecordSet,
  record: StoredRecord,
  company: Company,
  context: string,
): Answer {
  const options = readEntityOptions(readParameters(call.query), set);
  return json(status, {
    '@odata.context': `${context}/$entity`,
    ...presentRecord(set, record, options, company),
  });
}

function collectionAt(call: Call, address: CollectionAddress): Collection {
  const { set, company } = address;
  return {
    set,
    company,
    records: recordsOf(company, set.name).values(),
    address: `${call.origin}${call.path}`,
    context: contextOf(call, address),
  };
}

function contextOf(call: Call, { version, company, set }: CollectionAddress | RecordAddress): string {
  return `${call.origin}/api/${version}/$metadata#companies(${idOf(company.record)})/${set.name}`;
}

function findIn({ set, company, id }: RecordAddress): StoredRecord {
  const record = recordsOf(company, set.name).get(id);
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
