import type { Caller } from '../bearer.ts';
import { segmentNotFound } from '../business/address.ts';
import { asBusinessAnswer, asBusinessError, expectCaller } from '../business/business.ts';
import { answerCollection } from '../business/collection.ts';
import type { Dialect } from '../business/dialect.ts';
import { readFieldValues, readJsonObject } from '../business/field-values.ts';
import type { PageTokens } from '../business/page-tokens.ts';
import { checkIfMatch, checkIfMatchSent, expectJson, expectWriter } from '../business/preconditions.ts';
import { answerRecord } from '../business/record-answers.ts';
import type { Company, Store } from '../business/store.ts';
import type { Answer, Call } from '../http.ts';
import { decodeSegment, empty } from '../http.ts';
import { badRequest, Refusal } from '../refusal.ts';
import { isReceiver } from './receiver.ts';
import type { Subscription } from './subscription.ts';
import { ownerOf, readTarget, subscriptionsIn, writtenNow } from './subscription.ts';
import type { Webhooks } from './webhooks.ts';

/** What subscriptions are answered from. */
interface SubscriptionData {
  readonly store: Store;
  readonly dialect: Dialect;
  readonly pages: PageTokens;
  readonly webhooks: Webhooks;
}

/** The most that the real service holds. */
const maxSubscriptions = 200;

const root = '/api/v2.0/subscriptions';

/** True for `/api/v2.0/subscriptions` and one of them. They stand beside the companies, not below. */
export function isSubscriptionPath(path: string): boolean {
  return path === root || /^\/api\/v2\.0\/subscriptions(?:\(|%28)/.test(path);
}

/** Answers a request for subscriptions; what is created or renewed waits for its receiver to agree. */
export async function answerSubscriptions(call: Call, data: SubscriptionData): Promise<Answer> {
  try {
    return asBusinessAnswer(call, await route(call, data));
  } catch (error) {
    return asBusinessError(call, error);
  }
}

async function route(call: Call, data: SubscriptionData): Promise<Answer> {
  const caller = expectCaller(call);
  if (call.path === root) {
    if (call.method === 'POST') return create(call, caller, data);
    if (call.method === 'GET') return list(call, caller, data);
    throw notAllowed(call, 'Collection', 'GET, POST');
  }
  if (call.method === 'PATCH') return renew(call, caller, data);
  if (call.method === 'DELETE') {
    expectWriter(caller);
    const { id, record } = find(call, caller, data.webhooks);
    checkIfMatchSent(call, record, data.dialect);
    data.webhooks.remove(id);
    return empty(204);
  }
  if (call.method !== 'GET') throw notAllowed(call, 'Entity', 'GET, PATCH, DELETE');
  return show(200, call, find(call, caller, data.webhooks), data);
}

async function create(call: Call, caller: Caller, data: SubscriptionData): Promise<Answer> {
  const { webhooks, store } = data;
  expectWriter(caller);
  expectJson(call);
  const given = readGiven(call, { clientState: '' }, data.dialect);
  const target = readTarget(given.resource, store);
  const owner = ownerOf(caller.token);
  expectRoom(webhooks);
  await webhooks.shakeHands(given.notificationUrl);
  expectRoom(webhooks);
  const record = writtenNow(undefined, given, owner, webhooks.nextNumber(), webhooks.settings().lifetimeMs);
  const subscription: Subscription = { id: String(record.values.id), owner, target, record };
  webhooks.put(subscription);
  const answer = show(201, call, subscription, data);
  return {
    ...answer,
    headers: { ...answer.headers, location: `${call.origin}${root}('${subscription.id}')` },
  };
}

/** A renewal lasts as long as a new one, and may name another receiver or state. */
async function renew(call: Call, caller: Caller, data: SubscriptionData): Promise<Answer> {
  const { webhooks, dialect } = data;
  expectWriter(caller);
  expectJson(call);
  const { record: former, target, owner } = find(call, caller, webhooks);
  checkIfMatch(call, former, dialect);
  const given = readGiven(call, former.values, dialect);
  const next = readTarget(given.resource, data.store);
  if (next.companyId !== target.companyId || next.set !== target.set) {
    throw badRequest('The resource of a subscription cannot be changed.');
  }
  await webhooks.shakeHands(given.notificationUrl);
  // Others may have changed or deleted it while the receiver was asked.
  checkIfMatch(call, find(call, caller, webhooks).record, dialect);
  const record = writtenNow(former, given, owner, webhooks.nextNumber(), webhooks.settings().lifetimeMs);
  const renewed: Subscription = { id: String(record.values.id), owner, target, record };
  webhooks.put(renewed);
  return show(200, call, renewed, data);
}

/** What a body gives, over what is known already. */
function readGiven(call: Call, known: Readonly<Record<string, unknown>>, dialect: Dialect) {
  const given = readFieldValues(subscriptionsIn(dialect), readJsonObject(call.body));
  const { notificationUrl = '', resource = '', clientState = '' } = { ...known, ...given };
  if (!isReceiver(String(notificationUrl))) {
    throw badRequest(`The notificationUrl '${notificationUrl}' is not an address of http or https.`);
  }
  return {
    notificationUrl: String(notificationUrl),
    resource: String(resource),
    clientState: String(clientState),
  };
}

function expectRoom(webhooks: Webhooks): void {
  if (webhooks.subscriptions().length < maxSubscriptions) return;
  throw badRequest(`There are ${maxSubscriptions} subscriptions already, and there cannot be more.`);
}

/** One of the caller's own; throws the refusal (404) of any other. */
function find(call: Call, caller: Caller, webhooks: Webhooks): Subscription {
  const segment = call.path.slice('/api/v2.0/'.length);
  const [, id] = /^subscriptions\('([^']*)'\)$/.exec(decodeSegment(segment) ?? segment) ?? [];
  if (id === undefined) throw segmentNotFound(segment.slice(0, 100));
  const found = ownOf(caller, webhooks).find((one) => one.id === id);
  if (!found) throw segmentNotFound('subscriptions');
  return found;
}

function ownOf(caller: Caller, webhooks: Webhooks): Subscription[] {
  const owner = ownerOf(caller.token);
  return webhooks.subscriptions().filter((one) => one.owner === owner);
}

function list(call: Call, caller: Caller, data: SubscriptionData): Answer {
  const { dialect, webhooks, pages } = data;
  const collection = {
    ...placeIn(call, data),
    dialect,
    records: () => ownOf(caller, webhooks).map(({ record }) => record),
    address: `${call.origin}${call.path}`,
  };
  return answerCollection(collection, call, pages);
}

function show(status: number, call: Call, { record }: Subscription, data: SubscriptionData): Answer {
  return answerRecord(status, call, record, placeIn(call, data), data.dialect);
}

/** Subscriptions belong to no company; any will do where none is looked at. */
function placeIn(call: Call, { dialect, store }: SubscriptionData) {
  const [company] = store.companies.values() as Iterable<Company>;
  if (!company) throw new TypeError('expected a store with companies');
  const context = `${call.origin}/api/v2.0/$metadata#subscriptions`;
  return { set: subscriptionsIn(dialect), company, context };
}

function notAllowed(call: Call, edmType: string, allow: string): Refusal {
  return new Refusal(
    405,
    'BadRequest_MethodNotAllowed',
    `'${call.method}' requests for 'subscriptions' of EdmType '${edmType}' are not allowed within the OData web services.`,
    { headers: { allow } },
  );
}
