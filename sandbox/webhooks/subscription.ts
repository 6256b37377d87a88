import { badRequestError } from '../api-error.ts';
import type { Dialect } from '../business/dialect.ts';
import { type EntitySet, entitySet, fieldsOf, type SetField, standardRoute } from '../business/entity-set.ts';
import { entitySets } from '../business/entity-sets.ts';
import type { Store, StoredRecord } from '../business/store.ts';
import { derivedGuid } from '../seeded.ts';

/** The entity set of a company that a subscription is for. */
export interface SubscriptionTarget {
  readonly route: string;
  readonly companyId: string;
  readonly set: string;
}

/** A webhook subscription. */
export interface Subscription {
  readonly id: string;
  /** The principal who created it. No other principal sees it. */
  readonly owner: string;
  readonly target: SubscriptionTarget;
  readonly record: StoredRecord;
}

/** The entity set of subscriptions. */
const subscriptionSet: EntitySet = entitySet('subscriptions', 'subscription', {
  fields: fieldsOf(`
    subscriptionId text 150 readonly, notificationUrl text 2048, resource text 2048,
    timestamp integer readonly, userId guid readonly, lastModifiedDateTime dateTime,
    clientState text 2048, expirationDateTime dateTime, systemCreatedAt dateTime,
    systemCreatedBy guid readonly, systemModifiedAt dateTime, systemModifiedBy guid readonly
  `),
});

const subscribableAt = (at: string) =>
  entitySets.flatMap(({ name, isSubscribable, route = standardRoute }) =>
    isSubscribable && route === at ? [name] : [],
  );

/** Formats times in a dialect. */
export function timeFormat(dialect: Dialect): (time: string) => string {
  const { toWire } = dialect.set('companies').fields.find(({ kind }) => kind === 'dateTime') as SetField;
  return (time) => String(toWire ? toWire(time) : time);
}

/** The entity set of subscriptions in a dialect. */
export function subscriptionSetIn(dialect: Dialect): EntitySet {
  const wire = timeFormat(dialect);
  const inWire = (field: SetField): SetField =>
    field.kind === 'dateTime' ? { ...field, toWire: (value) => wire(String(value)) } : field;
  return { ...subscriptionSet, fields: subscriptionSet.fields.map(inWire) };
}

/**
 * Parses the resource of a subscription, with or without the root of the service. It is of the route that the
 * subscription is created at. Throws an `ApiError` when it is invalid.
 */
export function parseSubscribedResource(resource: string, store: Store, route: string): SubscriptionTarget {
  const path = resource.replace(/^https?:\/\/[^/]+/i, '').replace(/^\/?(?:api\/)?/i, '');
  const below = path.startsWith(`${route}/`) ? path.slice(route.length + 1) : path;
  const [, companyId = '', set = ''] = /^companies\(([0-9a-f-]{36})\)\/(\w+)$/i.exec(below) ?? [];
  const company = companyId.toLowerCase();
  const subscribable = subscribableAt(route);
  if (store.companies.has(company) && subscribable.includes(set)) return { route, companyId: company, set };
  throw badRequestError(
    `The resource '${resource.slice(0, 200)}' does not support subscriptions. It must be /api/${route}/companies(<id>)/<set>, the set one of ${subscribable.join(', ')}.`,
  );
}

/** What a caller decides of a subscription. */
export interface SubscriptionBody {
  readonly notificationUrl: string;
  readonly resource: string;
  readonly clientState: string;
}

/** The record of a new or renewed subscription. `number` must be unique. */
export function newSubscriptionRecord(
  former: StoredRecord | undefined,
  given: SubscriptionBody,
  owner: string,
  number: number,
  lifetimeMs: number,
): StoredRecord {
  const now = new Date().toISOString();
  const userId = derivedGuid(`user:${owner}`);
  const id = derivedGuid(`subscription:${number}`).replaceAll('-', '');
  const tag = Buffer.from(`'20;${derivedGuid(`subscription tag:${number}`)};'`).toString('base64');
  const values = {
    id,
    subscriptionId: id,
    systemCreatedAt: now,
    systemCreatedBy: userId,
    ...former?.values,
    ...given,
    userId,
    timestamp: number,
    lastModifiedDateTime: now,
    expirationDateTime: new Date(Date.now() + lifetimeMs).toISOString(),
    systemModifiedAt: now,
    systemModifiedBy: userId,
  };
  return { values, etag: `W/"${tag}"`, version: (former?.version ?? 0) + 1, lines: [] };
}
