import { badRequestError } from '../api-error.ts';
import type { Dialect } from '../business/dialect.ts';
import { standardRoute } from '../business/entity-set.ts';
import { entitySets } from '../business/entity-sets.ts';
import type { Store } from '../business/store.ts';
import { derivedGuid } from '../seeded.ts';

/** The entity set of a company that a subscription is for. */
interface SubscriptionTarget {
  readonly route: string;
  readonly companyId: string;
  readonly set: string;
}

/** What a caller decides of a subscription. */
export interface SubscriptionBody {
  readonly notificationUrl: string;
  readonly resource: string;
  readonly clientState: string;
}

/** A webhook subscription. */
export interface Subscription {
  readonly id: string;
  /** The principal who created it. No other principal sees it. */
  readonly owner: string;
  readonly target: SubscriptionTarget;
  readonly etag: string;
  /** The fields of the real service. */
  readonly values: SubscriptionBody & {
    readonly timestamp: number;
    readonly userId: string;
    readonly lastModifiedDateTime: string;
    readonly expirationDateTime: string;
    readonly systemCreatedAt: string;
    readonly systemCreatedBy: string;
    readonly systemModifiedAt: string;
    readonly systemModifiedBy: string;
  };
}

const subscribableAt = (at: string) =>
  entitySets.flatMap(({ name, isSubscribable, route = standardRoute }) =>
    isSubscribable && route === at ? [name] : [],
  );

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

/** A new or renewed subscription. `number` must be unique. */
export function newSubscription(
  former: Subscription | undefined,
  given: SubscriptionBody,
  { owner, target }: Pick<Subscription, 'owner' | 'target'>,
  number: number,
  lifetimeMs: number,
): Subscription {
  const now = new Date().toISOString();
  const userId = derivedGuid(`user:${owner}`);
  const tag = Buffer.from(`'20;${derivedGuid(`subscription tag:${number}`)};'`).toString('base64');
  return {
    id: former?.id ?? derivedGuid(`subscription:${number}`).replaceAll('-', ''),
    owner,
    target,
    etag: `W/"${tag}"`,
    values: {
      ...given,
      timestamp: number,
      userId,
      lastModifiedDateTime: now,
      expirationDateTime: new Date(Date.now() + lifetimeMs).toISOString(),
      systemCreatedAt: former?.values.systemCreatedAt ?? now,
      systemCreatedBy: userId,
      systemModifiedAt: now,
      systemModifiedBy: userId,
    },
  };
}

/** A subscription as in responses. */
export function presentSubscription({ id, etag, values }: Subscription, { formatTime }: Dialect) {
  const shown = Object.entries(values).map(([name, value]) => [
    name,
    /DateTime$|At$/.test(name) ? formatTime(String(value)) : value,
  ]);
  return { '@odata.etag': etag, subscriptionId: id, ...Object.fromEntries(shown) };
}
