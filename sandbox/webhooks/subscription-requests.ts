import { badRequestError, methodNotAllowedError } from '../api-error.ts';
import { type Caller, principalOf } from '../bearer.ts';
import { respondWithRecord, segmentNotFoundError } from '../business/address.ts';
import { authenticateCaller, businessErrorResponse, withBusinessHeaders } from '../business/business.ts';
import type { Dialect } from '../business/dialect.ts';
import { standardRoute, v1Route } from '../business/entity-set.ts';
import { splitRoute } from '../business/entity-sets.ts';
import { type PageTokens, respondWithCollection } from '../business/query/collection.ts';
import type { Company, Store, StoredRecord } from '../business/store.ts';
import { readFieldValues } from '../business/writes/field-values.ts';
import {
  checkCanWrite,
  checkJsonContentType,
  checkOptionalIfMatch,
  checkRequiredIfMatch,
} from '../business/writes/preconditions.ts';
import { type ApiRequest, type ApiResponse, decodeSegment, emptyResponse } from '../http.ts';
import { readJsonObject } from '../json-checks.ts';
import { isHttpUrl } from './receiver.ts';
import {
  newSubscriptionRecord,
  parseSubscribedResource,
  type Subscription,
  type SubscriptionBody,
  type SubscriptionTarget,
  subscriptionSetIn,
} from './subscription.ts';
import type { Webhooks } from './webhooks.ts';

interface SubscriptionData {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly pages: PageTokens;
  readonly webhooks: Webhooks;
}

/** The limit of the real service. */
const maxSubscriptions = 200;

/** True for `/api/{route}/subscriptions` and its entities. They are not within a company, and v1.0 has none. */
export function isSubscriptionPath(path: string): boolean {
  const { route, rest } = splitRoute(path) ?? {};
  return route !== v1Route && /^subscriptions(?:$|\(|%28)/.test(rest ?? '');
}

const routeOf = ({ path }: ApiRequest): string => splitRoute(path)?.route ?? standardRoute;

/** Handles a request for subscriptions. A create or renewal waits for the validation of the receiver. */
export async function handleSubscriptionRequest(
  request: ApiRequest,
  data: SubscriptionData,
): Promise<ApiResponse> {
  try {
    return withBusinessHeaders(request, await routeSubscriptionRequest(request, data));
  } catch (error) {
    return businessErrorResponse(request, error);
  }
}

async function routeSubscriptionRequest(request: ApiRequest, data: SubscriptionData): Promise<ApiResponse> {
  const caller = authenticateCaller(request);
  if (request.path.endsWith('/subscriptions')) {
    if (request.method === 'POST') return createSubscription(request, caller, data);
    if (request.method === 'GET') return listSubscriptions(request, caller, data);
    throw methodNotAllowedError(request.method, 'subscriptions', 'Collection', 'GET, POST');
  }
  if (request.method === 'PATCH') return renewSubscription(request, caller, data);
  if (request.method === 'DELETE') {
    checkCanWrite(caller);
    const { id, record } = findSubscription(request, caller, data.webhooks);
    checkOptionalIfMatch(request, record, data.dialect);
    data.webhooks.remove(id);
    return emptyResponse(204);
  }
  if (request.method !== 'GET')
    throw methodNotAllowedError(request.method, 'subscriptions', 'Entity', 'GET, PATCH, DELETE');
  return respondWithSubscription(200, request, findSubscription(request, caller, data.webhooks), data);
}

async function createSubscription(
  request: ApiRequest,
  caller: Caller,
  data: SubscriptionData,
): Promise<ApiResponse> {
  const { webhooks, store } = data;
  checkCanWrite(caller);
  checkJsonContentType(request);
  const given = readSubscriptionBody(request, { clientState: '' }, data.dialect);
  const target = parseSubscribedResource(given.resource, store, routeOf(request));
  const owner = principalOf(caller.token);
  checkSubscriptionLimit(webhooks);
  await webhooks.validateReceiver(given.notificationUrl);
  checkSubscriptionLimit(webhooks);
  const subscription = saveSubscription(webhooks, undefined, given, owner, target);
  const response = respondWithSubscription(201, request, subscription, data);
  return {
    ...response,
    headers: { ...response.headers, location: `${request.origin}${request.path}('${subscription.id}')` },
  };
}

/** Stores a new or renewed subscription, with the lifetime of a new one. */
function saveSubscription(
  webhooks: Webhooks,
  former: StoredRecord | undefined,
  given: SubscriptionBody,
  owner: string,
  target: SubscriptionTarget,
): Subscription {
  const { lifetimeMs } = webhooks.settings();
  const record = newSubscriptionRecord(former, given, owner, webhooks.nextNumber(), lifetimeMs);
  const subscription = { id: String(record.values.id), owner, target, record };
  webhooks.put(subscription);
  return subscription;
}

/** A renewal has the lifetime of a new subscription, and can change the receiver and the client state. */
async function renewSubscription(
  request: ApiRequest,
  caller: Caller,
  data: SubscriptionData,
): Promise<ApiResponse> {
  const { webhooks, dialect } = data;
  checkCanWrite(caller);
  checkJsonContentType(request);
  const { record: former, target, owner } = findSubscription(request, caller, webhooks);
  checkRequiredIfMatch(request, former, dialect);
  const given = readSubscriptionBody(request, former.values, dialect);
  const next = parseSubscribedResource(given.resource, data.store, target.route);
  if (next.companyId !== target.companyId || next.set !== target.set) {
    throw badRequestError('The resource of a subscription cannot be changed.');
  }
  await webhooks.validateReceiver(given.notificationUrl);
  // The subscription may have changed during the validation.
  checkRequiredIfMatch(request, findSubscription(request, caller, webhooks).record, dialect);
  const renewed = saveSubscription(webhooks, former, given, owner, target);
  return respondWithSubscription(200, request, renewed, data);
}

/** Reads a body. Fields left out keep their known values. */
function readSubscriptionBody(
  request: ApiRequest,
  known: Readonly<Record<string, unknown>>,
  dialect: Dialect,
): SubscriptionBody {
  const given = readFieldValues(subscriptionSetIn(dialect), readJsonObject(request.body));
  const { notificationUrl = '', resource = '', clientState = '' } = { ...known, ...given };
  if (!isHttpUrl(String(notificationUrl))) {
    throw badRequestError(`The notificationUrl '${notificationUrl}' is not an http or https URL.`);
  }
  return {
    notificationUrl: String(notificationUrl),
    resource: String(resource),
    clientState: String(clientState),
  };
}

function checkSubscriptionLimit(webhooks: Webhooks): void {
  if (webhooks.subscriptions().length < maxSubscriptions) return;
  throw badRequestError(`The limit of ${maxSubscriptions} subscriptions is reached.`);
}

/** Finds a subscription of the caller. Throws an `ApiError` (404) for any other. */
function findSubscription(request: ApiRequest, caller: Caller, webhooks: Webhooks): Subscription {
  const segment = splitRoute(request.path)?.rest ?? '';
  const [, id] = /^subscriptions\('([^']*)'\)$/.exec(decodeSegment(segment) ?? segment) ?? [];
  if (id === undefined) throw segmentNotFoundError(segment.slice(0, 100));
  const found = subscriptionsOf(caller, webhooks).find((one) => one.id === id);
  if (!found) throw segmentNotFoundError('subscriptions');
  return found;
}

function subscriptionsOf(caller: Caller, webhooks: Webhooks): Subscription[] {
  const owner = principalOf(caller.token);
  return webhooks.subscriptions().filter((one) => one.owner === owner);
}

function listSubscriptions(request: ApiRequest, caller: Caller, data: SubscriptionData): ApiResponse {
  const { dialect, webhooks, pages } = data;
  const collection = {
    ...subscriptionLocation(request, data),
    dialect,
    records: subscriptionsOf(caller, webhooks).map(({ record }) => record),
    address: `${request.origin}${request.path}`,
  };
  return respondWithCollection(collection, request, pages);
}

function respondWithSubscription(
  status: number,
  request: ApiRequest,
  { record }: Subscription,
  data: SubscriptionData,
): ApiResponse {
  return respondWithRecord(status, request, record, subscriptionLocation(request, data), data.dialect);
}

/** Subscriptions belong to no company, so any one is passed. */
function subscriptionLocation(request: ApiRequest, { dialect, store }: SubscriptionData) {
  const [company] = store.companies.values() as Iterable<Company>;
  if (!company) throw new TypeError('expected a store with companies');
  const context = `${request.origin}/api/${routeOf(request)}/$metadata#subscriptions`;
  return { set: subscriptionSetIn(dialect), company, context };
}
