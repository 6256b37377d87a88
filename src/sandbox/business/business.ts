import type { Caller } from '../bearer.ts';
import { readCaller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { json } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { BusinessAddress } from './address.ts';
import { readAddress, segmentNotFound } from './address.ts';
import type { PartAnswerer } from './batch.ts';
import { answerBatch, isBatchPath } from './batch.ts';
import type { ChosenIds } from './chosen-ids.ts';
import type { Collection } from './collection.ts';
import { answerCollection, answerCount } from './collection.ts';
import type { Dialect } from './dialect.ts';
import { linesAsked } from './document-lines.ts';
import type { PageTokens } from './page-tokens.ts';
import { bearerCodes } from './preconditions.ts';
import type { CollectionAddress } from './record-answers.ts';
import { answerRecord, findIn, placeOf } from './record-answers.ts';
import type { Store } from './store.ts';
import { recordsOf } from './store.ts';
import { answerCreate, answerDelete, answerUpdate } from './writes.ts';

/** What area A works on; a reset replaces it, and a batch that is a transaction may replace the store. */
export interface BusinessData {
  store: Store;
  /** What plain reads see while a replica lags behind; undefined while none does. */
  readonly replica: Store | undefined;
  readonly pages: PageTokens;
  readonly dialect: Dialect;
  readonly chosenIds: ChosenIds;
  /** Whether the v1.0 shape of items is there, for which alone that version exists. */
  readonly hasItemV1: boolean;
}

/** The longest query string the service takes. */
const maxQueryLength = 8_099;

/**
 * Answers a request of area A. Refusals come as OData errors whose CorrelationId is the `request-id`
 * header. `answerPart` stands between a batch and its parts.
 */
export function answerBusiness(call: Call, data: BusinessData, answerPart: PartAnswerer): Answer {
  try {
    return asBusinessAnswer(call, route(call, data, answerPart));
  } catch (error) {
    return asBusinessError(call, error);
  }
}

/** An answer with the headers of area A. */
export function asBusinessAnswer(call: Call, answer: Answer): Answer {
  const contentType = 'application/json; odata.metadata=minimal; odata.streaming=true';
  const isJsonAnswer = answer.headers['content-type'] === 'application/json';
  return {
    ...answer,
    headers: {
      ...headersOf(call),
      ...answer.headers,
      ...(isJsonAnswer ? { 'content-type': contentType } : {}),
    },
  };
}

/** A `Refusal` as area A prints it; anything else is thrown on. */
export function asBusinessError(call: Call, error: unknown): Answer {
  if (!(error instanceof Refusal)) throw error;
  const message = `${error.message}  CorrelationId:  ${call.requestId}.`;
  return json(
    error.status,
    { error: { code: error.code, message } },
    { ...headersOf(call), ...error.extras.headers },
  );
}

function headersOf(call: Call): Record<string, string> {
  return {
    'odata-version': '4.0',
    'cache-control': 'no-cache, no-store',
    'request-id': call.requestId,
  };
}

/** Who calls area A; throws the refusal of a caller, an address or a body that no part of it takes. */
export function expectCaller(call: Call): Caller {
  const caller = readCaller(call, bearerCodes);
  if (call.query.length > maxQueryLength) {
    throw new Refusal(
      414,
      'BadRequest_InvalidRequestUrl',
      `The query string is longer than ${maxQueryLength} characters.`,
    );
  }
  if (call.isBodyTooLarge) throw new Refusal(413, 'BadRequest', 'The request body is too large.');
  return caller;
}

function route(call: Call, data: BusinessData, answerPart: PartAnswerer): Answer {
  const caller = expectCaller(call);
  if (!data.hasItemV1 && /^\/api\/v1\.0(\/|$)/.test(call.path)) throw segmentNotFound('v1.0');
  if (isBatchPath(call.path)) {
    return answerBatch(call, data, (part) => answerBusiness(part, data, answerPart), answerPart);
  }

  const { dialect } = data;
  const address = readAddress(call.path, storeFor(call, data), dialect);
  if (address.kind === 'companies') {
    expectMethod(call, address, 'GET');
    return answerCompanies(call, address, data);
  }
  const can = (method: 'POST' | 'PATCH' | 'DELETE') => address.set.writes.includes(method);
  if (address.kind === 'collection') {
    const canCreate = can('POST') && !address.isCount;
    if (call.method === 'POST' && canCreate) return answerCreate(call, caller, address, data);
    expectMethod(call, address, 'GET', ...(canCreate ? ['POST'] : []));
    const collection = collectionAt(call, address, dialect);
    return address.isCount ? answerCount(collection, call) : answerCollection(collection, call, data.pages);
  }
  if (call.method === 'PATCH' && can('PATCH')) return answerUpdate(call, caller, address, data);
  if (call.method === 'DELETE' && can('DELETE')) return answerDelete(call, caller, address, data);
  expectMethod(call, address, 'GET', ...address.set.writes.filter((method) => method !== 'POST'));
  return answerRecord(200, call, findIn(address), placeOf(call, address), dialect);
}

/** Reads may be served by a replica, unless they ask for what writes see. */
function storeFor(call: Call, data: BusinessData): Store {
  const intent = String(call.headers['data-access-intent'] ?? '').trim();
  const isPlainRead = call.method === 'GET' && !/^ReadWrite$/i.test(intent);
  return (isPlainRead ? data.replica : undefined) ?? data.store;
}

type CompaniesAddress = Extract<BusinessAddress, { kind: 'companies' }>;

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

function collectionAt(call: Call, address: CollectionAddress, dialect: Dialect): Collection {
  const { set, company } = address;
  return {
    set,
    company,
    dialect,
    records: (options) =>
      set.linesOf === undefined ? recordsOf(company, set.name).values() : linesAsked(company, set, options),
    address: `${call.origin}${call.path}`,
    context: placeOf(call, address).context,
  };
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
