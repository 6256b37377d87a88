import type { Dialect } from '../business/dialect.ts';
import type { Field, RecordSet } from '../business/records.ts';
import { dateTime, guid, integer, readOnly, recordSet, text } from '../business/records.ts';
import type { Store, StoredRecord } from '../business/store.ts';
import { badRequest } from '../refusal.ts';
import { derivedGuid } from '../seeded.ts';

/** The records of one company that a receiver wants to hear of. */
export interface Target {
  readonly companyId: string;
  readonly set: string;
}

/** What a caller asked for, and to whom it belongs. */
export interface Subscription {
  readonly id: string;
  /** Who created it, whatever token came with that; nobody else sees it. */
  readonly owner: string;
  readonly target: Target;
  readonly record: StoredRecord;
}

/** The fields of a subscription as area A reads, shows and filters them. */
const subscriptions: RecordSet = recordSet('subscriptions', 'subscription', [
  text('subscriptionId', 150, readOnly),
  text('notificationUrl', 2_048),
  text('resource', 2_048),
  integer('timestamp', readOnly),
  guid('userId', readOnly),
  dateTime('lastModifiedDateTime'),
  text('clientState', 2_048),
  dateTime('expirationDateTime'),
  dateTime('systemCreatedAt'),
  guid('systemCreatedBy', readOnly),
  dateTime('systemModifiedAt'),
  guid('systemModifiedBy', readOnly),
]);

/** The sets of which the real service tells, as far as they are here. */
const supported: ReadonlySet<string> = new Set([
  'customers',
  'items',
  'salesOrders',
  'salesQuotes',
  'employees',
  'paymentTerms',
  'itemCategories',
  'unitsOfMeasure',
  'currencies',
  'shipmentMethods',
  'paymentMethods',
  'accounts',
]);

/** How a dialect writes times. */
export function timeWire(dialect: Dialect): (time: string) => string {
  const { toWire } = dialect.set('companies').fields.find(({ kind }) => kind === 'dateTime') as Field;
  return (time) => String(toWire ? toWire(time) : time);
}

/** The record set of subscriptions in a dialect. */
export function subscriptionsIn(dialect: Dialect): RecordSet {
  const wire = timeWire(dialect);
  const inWire = (field: Field): Field =>
    field.kind === 'dateTime' ? { ...field, toWire: (value) => wire(String(value)) } : field;
  return { ...subscriptions, fields: subscriptions.fields.map(inWire) };
}

/** Reads what is subscribed to, with or without the root of the service; throws the refusal of anything else. */
export function readTarget(resource: string, store: Store): Target {
  const [, companyId = '', set = ''] =
    /^(?:https?:\/\/[^/]+)?\/?(?:api\/v2\.0\/)?companies\(([0-9a-f-]{36})\)\/(\w+)$/i.exec(resource) ?? [];
  const company = companyId.toLowerCase();
  if (store.companies.has(company) && supported.has(set)) return { companyId: company, set };
  throw badRequest(
    `Nobody can subscribe to the resource '${resource.slice(0, 200)}'. It must be /api/v2.0/companies(<id>)/<set>, the set one of ${[...supported].join(', ')}.`,
  );
}

/** Who a token speaks for: what follows a tilde tells the tokens of one caller apart. */
export function ownerOf(token: string): string {
  return token.split('~', 1)[0] ?? token;
}

/** What a subscription is from now on; `number` never comes twice. */
export function writtenNow(
  former: StoredRecord | undefined,
  given: { readonly notificationUrl: string; readonly resource: string; readonly clientState: string },
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
