import { z } from 'zod';
import { failureOf } from '../errors.ts';
import type { Access } from '../upstream/access.ts';
import type { Answer } from '../upstream/answer.ts';
import type { Call, Client } from '../upstream/client.ts';
import { badResponse } from '../upstream/error-answers.ts';
import { isObject } from '../upstream/json.ts';
import { quote } from '../upstream/odata.ts';
import type { ClientStates, Target } from './client-state.ts';
import { readResource, type TypesBySet } from './notifications.ts';

/** A subscription of this layer at the upstream. */
export interface Subscription {
  readonly id: string;
  /** When it ends by itself, as milliseconds since 1970. */
  readonly endsAt: number;
}

/** This layer's subscriptions at the upstream of area A, made in its own name. */
export interface Subscriptions {
  /**
   * The one subscription to a target: the one that is there, renewed where it must be, or a new one. Throws
   * `UpstreamError`.
   */
  ensure(target: Target, mustRenew: boolean): Promise<Subscription>;
  /** Ends one; it is no mistake that it has ended already. Throws `UpstreamError`. */
  remove(id: string): Promise<void>;
}

export interface SubscriptionsOptions {
  readonly client: Client;
  /** In the layer's own name. */
  readonly access: Access;
  readonly notificationUrl: string;
  readonly clientStates: ClientStates;
  readonly types: TypesBySet;
}

const root = '/api/v2.0/subscriptions';
const addressOf = (id: string) => `${root}(${encodeURIComponent(quote(id))})`;

interface Found extends Subscription {
  readonly etag: string;
  readonly clientState: string | null;
}

export function createSubscriptions(options: SubscriptionsOptions): Subscriptions {
  const { client, access, notificationUrl, clientStates, types } = options;
  const sets = new Map([...types].map(([set, type]) => [type, set]));

  const send = (call: Omit<Call, 'access'>): Promise<Answer> => client.send({ ...call, access });
  const write = (method: 'POST' | 'PATCH' | 'DELETE', path: string, etag?: string, body?: object) =>
    send({
      method,
      path,
      kind: 'write',
      ...(etag !== undefined && { headers: { 'if-match': etag } }),
      ...(body && { body: JSON.stringify(body) }),
    });

  /** Those to a target, whichever replica or process made them. */
  const find = async ({ companyId, type }: Target): Promise<Found[]> => {
    const { body } = await send({ method: 'GET', path: root });
    const rows = isObject(body) ? body.value : null;
    if (!Array.isArray(rows))
      throw badResponse(
        'business',
        'The upstream answered with something other than a list of subscriptions.',
      );
    return rows.filter(isObject).flatMap((row) => {
      if (row.notificationUrl !== notificationUrl || typeof row.resource !== 'string') return [];
      const resource = readResource(row.resource, types);
      const isWanted = resource?.id === null && resource.companyId === companyId && resource.type === type;
      return isWanted ? [readFound(row)] : [];
    });
  };

  const remove = async (id: string) => {
    try {
      await write('DELETE', addressOf(id), '*');
    } catch (error) {
      if (failureOf(error).status !== 404) throw error;
    }
  };

  return {
    remove,
    async ensure(target, mustRenew) {
      const clientState = clientStates.of(target);
      const resource = `/api/v2.0/companies(${target.companyId})/${sets.get(target.type)}`;
      const wanted = { notificationUrl, resource, clientState };
      const [found, ...others] = await find(target);
      // Replicas that could not agree have made more than one.
      await Promise.allSettled(others.slice(0, maxRemoved).map(({ id }) => remove(id)));
      if (!found) return readFound((await write('POST', root, undefined, wanted)).body);
      if (!mustRenew && found.clientState === clientState) return found;
      return readFound((await write('PATCH', addressOf(found.id), found.etag, wanted)).body);
    },
  };
}

// At each look: a list without end is no reason for as many calls.
const maxRemoved = 100;
const usualLifeMs = 3 * 24 * 3_600_000;

// Whatever an upstream leaves out has a value of ours; what is there and of another type says that it is no subscription.
const subscriptionRow = z.object({
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

function readFound(body: unknown): Found {
  const { success, data } = subscriptionRow.safeParse(body);
  if (!success)
    throw badResponse('business', 'The upstream answered with something other than a subscription.');
  return {
    id: data.subscriptionId,
    endsAt: data.expirationDateTime ?? Date.now() + usualLifeMs,
    etag: data['@odata.etag'] ?? '*',
    clientState: data.clientState ?? null,
  };
}
