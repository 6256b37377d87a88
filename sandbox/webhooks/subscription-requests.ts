import { badRequestError, methodNotAllowedError } from '../api-error.ts';
import { type Caller, principalOf } from '../bearer.ts';
import { segmentNotFoundError } from '../business/address.ts';
import { authenticateCaller, businessErrorResponse, withBusinessHeaders } from '../business/business.ts';
import type { Dialect } from '../business/dialect.ts';
import { standardRoute, v1Route } from '../business/entity-set.ts';
import { splitRoute } from '../business/entity-sets.ts';
import type { Store } from '../business/store.ts';
import {
  checkCanWrite,
  checkJsonContentType,
  checkOptionalIfMatch,
  checkRequiredIfMatch,
} from '../business/writes/preconditions.ts';
import { type ApiRequest, type ApiResponse, decodeSegment, emptyResponse, jsonResponse } from '../http.ts';
import { checkFields, isText, readJsonObject } from '../json-checks.ts';
import { isHttpUrl } from './receiver.ts';
import {
  newSubscription,
  parseSubscribedResource,
  presentSubscription,
  type Subscription,
  type SubscriptionBody,
} from './subscription.ts';
import type { Webhooks } from './webhooks.ts';

interface SubscriptionData {
  readonly store: Store;
  readonly dialect: Dialect;
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
  const { method } = request;
  if (request.path.endsWith('/subscriptions')) {
    if (method === 'POST') return createSubscription(request, caller, data);
    if (method !== 'GET') throw methodNotAllowedError(method, 'subscriptions', 'Collection', 'GET, POST');
    const value = subscriptionsOf(caller, data.webhooks).map((one) => presentSubscription(one, data.dialect));
    return jsonResponse(200, { '@odata.context': contextOf(request), value });
  }
  if (method === 'PATCH') return renewSubscription(request, caller, data);
  if (method !== 'GET' && method !== 'DELETE')
    throw methodNotAllowedError(method, 'subscriptions', 'Entity', 'GET, PATCH, DELETE');
  if (method === 'DELETE') checkCanWrite(caller);
  const found = findSubscription(request, caller, data.webhooks);
  if (method === 'GET') return respondWithSubscription(200, request, found, data);
  checkOptionalIfMatch(request, found, data.dialect);
  data.webhooks.remove(found.id);
  return emptyResponse(204);
}

async function createSubscription(
  request: ApiRequest,
  caller: Caller,
  data: SubscriptionData,
): Promise<ApiResponse> {
  const { webhooks, store } = data;
  checkCanWrite(caller);
  checkJsonContentType(request);
  const given = readSubscriptionBody(request, { notificationUrl: '', resource: '', clientState: '' });
  const target = parseSubscribedResource(given.resource, store, routeOf(request));
  checkSubscriptionLimit(webhooks);
  await webhooks.validateReceiver(given.notificationUrl);
  checkSubscriptionLimit(webhooks);
  const created = saveSubscription(webhooks, undefined, given, { owner: principalOf(caller.token), target });
  const response = respondWithSubscription(201, request, created, data);
  const location = `${request.origin}${request.path}('${created.id}')`;
  return { ...response, headers: { ...response.headers, location } };
}

/** Stores a new or renewed subscription, with the lifetime of a new one. */
function saveSubscription(
  webhooks: Webhooks,
  former: Subscription | undefined,
  given: SubscriptionBody,
  of: Pick<Subscription, 'owner' | 'target'>,
): Subscription {
  const { lifetimeMs } = webhooks.settings();
  const subscription = newSubscription(former, given, of, webhooks.nextNumber(), lifetimeMs);
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
  const former = findSubscription(request, caller, webhooks);
  const { target } = former;
  checkRequiredIfMatch(request, former, dialect);
  const given = readSubscriptionBody(request, former.values);
  const next = parseSubscribedResource(given.resource, data.store, target.route);
  if (next.companyId !== target.companyId || next.set !== target.set) {
    throw badRequestError('The resource of a subscription cannot be changed.');
  }
  await webhooks.validateReceiver(given.notificationUrl);
  // The subscription may have changed during the validation.
  checkRequiredIfMatch(request, findSubscription(request, caller, webhooks), dialect);
  return respondWithSubscription(200, request, saveSubscription(webhooks, former, given, former), data);
}

const isField = (value: unknown): value is string => isText(value) && value.length <= 2_048;

/** Reads a body. Fields left out keep their known values. */
function readSubscriptionBody(request: ApiRequest, known: SubscriptionBody): SubscriptionBody {
  const checks = { notificationUrl: isField, resource: isField, clientState: isField };
  const given = checkFields('a subscription', readJsonObject(request.body), checks);
  const { notificationUrl, resource, clientState } = { ...known, ...given };
  if (!isHttpUrl(notificationUrl))
    throw badRequestError(`The notificationUrl '${notificationUrl}' is not an http or https URL.`);
  return { notificationUrl, resource, clientState };
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

function respondWithSubscription(
  status: number,
  request: ApiRequest,
  subscription: Subscription,
  { dialect }: SubscriptionData,
): ApiResponse {
  const context = { '@odata.context': `${contextOf(request)}/$entity` };
  return jsonResponse(status, { ...context, ...presentSubscription(subscription, dialect) });
}

const contextOf = (request: ApiRequest): string =>
  `${request.origin}/api/${routeOf(request)}/$metadata#subscriptions`;
