import { z } from 'zod';
import { asUpstreamError } from '../errors.ts';
import type { RecordType } from '../generated/graphql.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamCall } from '../http/call.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError } from '../http/errors.ts';
import type { UpstreamResponse } from '../http/response.ts';
import { apiRoot } from '../odata/batch.ts';
import { quoteString } from '../odata/collection.ts';
import { isJsonObject } from '../runtime/json.ts';
import { computeMac, matchesAny } from '../runtime/keyring.ts';
import { parseResource, type WatchedSet } from './watched-sets.ts';

/** The target of an upstream subscription: the records of one type in one company. */
export interface SubscriptionTarget {
  readonly companyId: string;
  readonly type: RecordType;
}

/** The `clientState` of a subscription proves that a notification belongs to it. */
export interface ClientStates {
  /** Returns the value to subscribe with: the same on every replica and after every restart. */
  derive(target: SubscriptionTarget): string;
  /** Compares in constant time. Accepts the values of older secrets, too. */
  isGenuine(target: SubscriptionTarget, clientState: string): boolean;
}

// SHA-256 in base64url, without padding.
const clientStateLength = 43;

/** The first secret derives new values; values of all secrets are accepted. */
export function createClientStates(secrets: readonly string[], notificationUrl: string): ClientStates {
  // One value per secret, in order.
  const deriveAll = ({ companyId, type }: SubscriptionTarget): readonly string[] => {
    const text = JSON.stringify(['record changes', notificationUrl, companyId, type]);
    return secrets.map((secret) => computeMac(secret, text));
  };

  return {
    derive: (target) => deriveAll(target)[0] as string,
    // Checking the length first avoids the HMAC for most forged values.
    isGenuine: (target, clientState) =>
      Buffer.byteLength(clientState) === clientStateLength && matchesAny(clientState, deriveAll(target)),
  };
}

export interface UpstreamSubscription {
  readonly id: string;
  /** Time until it expires, in milliseconds. */
  readonly remainingMs: number;
}

/** The webhook subscriptions of this deployment at the upstream of area A. */
export interface UpstreamSubscriptions {
  /**
   * Finds the subscription to a target, or creates it. Renews it with `mustRenew`, or if its `clientState` is outdated.
   * Throws `UpstreamError`.
   */
  ensure(target: SubscriptionTarget, mustRenew: boolean): Promise<UpstreamSubscription>;
  /** Removes a subscription; does nothing if it no longer exists. Throws `UpstreamError`. */
  remove(target: SubscriptionTarget, id: string): Promise<void>;
}

export interface UpstreamSubscriptionsOptions {
  readonly client: UpstreamClient;
  /** Access with Tributary's own token, not a caller's. */
  readonly access: Access;
  readonly notificationUrl: string;
  readonly clientStates: ClientStates;
  readonly sets: readonly WatchedSet[];
}

/** Each API has its own subscriptions. */
const subscriptionsPath = ({ route }: WatchedSet) => `${apiRoot(route)}/subscriptions`;
const subscriptionPath = (set: WatchedSet, id: string) =>
  `${subscriptionsPath(set)}(${encodeURIComponent(quoteString(id))})`;

interface FoundSubscription extends UpstreamSubscription {
  readonly etag: string;
  readonly clientState: string | null;
}

export function createUpstreamSubscriptions(options: UpstreamSubscriptionsOptions): UpstreamSubscriptions {
  const { client, access, notificationUrl, clientStates, sets } = options;
  const getSet = ({ type }: SubscriptionTarget) => sets.find((set) => set.type === type) as WatchedSet;

  const send = (call: Omit<UpstreamCall, 'access'>): Promise<UpstreamResponse> =>
    client.send({ ...call, access });
  const write = (method: 'POST' | 'PATCH' | 'DELETE', path: string, etag?: string, body?: object) =>
    send({
      method,
      path,
      kind: 'write',
      ...(etag !== undefined && { headers: { 'if-match': etag } }),
      ...(body && { body: JSON.stringify(body) }),
    });

  /** Finds the subscription to a target, whichever replica or earlier process created it. */
  const find = async (target: SubscriptionTarget): Promise<FoundSubscription | null> => {
    const { companyId, type } = target;
    const { body } = await send({ method: 'GET', path: subscriptionsPath(getSet(target)) });
    const rows = isJsonObject(body) ? body.value : null;
    if (!Array.isArray(rows))
      throw badResponseError(
        'business',
        'The upstream responded with something other than a list of subscriptions.',
      );
    const found = rows.filter(isJsonObject).find((row) => {
      if (row.notificationUrl !== notificationUrl || typeof row.resource !== 'string') return false;
      const resource = parseResource(row.resource, sets);
      return resource?.id === null && resource.companyId === companyId && resource.type === type;
    });
    return found ? parseSubscription(found) : null;
  };

  const remove = async (target: SubscriptionTarget, id: string) => {
    try {
      await write('DELETE', subscriptionPath(getSet(target), id), '*');
    } catch (error) {
      if (asUpstreamError(error).status !== 404) throw error;
    }
  };

  return {
    remove,
    async ensure(target, mustRenew) {
      const clientState = clientStates.derive(target);
      const set = getSet(target);
      const resource = `${apiRoot(set.route)}/companies(${target.companyId})/${set.entitySet}`;
      const desired = { notificationUrl, resource, clientState };
      // Replicas that could not reach each other may have created several subscriptions: one is kept, the others expire.
      const found = await find(target);
      if (!found)
        return parseSubscription((await write('POST', subscriptionsPath(set), undefined, desired)).body);
      if (!mustRenew && found.clientState === clientState) return found;
      const path = subscriptionPath(set, found.id);
      return parseSubscription((await write('PATCH', path, found.etag, desired)).body);
    },
  };
}

const defaultLifetimeMs = 3 * 24 * 3_600_000;

// A missing property gets a default; a property of another type makes the response invalid.
const subscriptionSchema = z.object({
  subscriptionId: z.string().min(1).max(1_024),
  expirationDateTime: z
    .string()
    .transform((text) => Date.parse(text))
    .refine((at) => !Number.isNaN(at))
    .nullish(),
  '@odata.etag': z
    .string()
    .regex(/^[\x20-\x7e\x80-\xff]{1,1024}$/)
    .nullish(),
  clientState: z.string().nullish(),
});

function parseSubscription(body: unknown): FoundSubscription {
  const { success, data } = subscriptionSchema.safeParse(body);
  if (!success)
    throw badResponseError('business', 'The upstream responded with something other than a subscription.');
  return {
    id: data.subscriptionId,
    remainingMs: data.expirationDateTime == null ? defaultLifetimeMs : data.expirationDateTime - Date.now(),
    etag: data['@odata.etag'] ?? '*',
    clientState: data.clientState ?? null,
  };
}
