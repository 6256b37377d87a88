import { failureOf, type UpstreamError } from '../errors.ts';
import type { Access } from '../upstream/access.ts';
import type { Answer } from '../upstream/answer.ts';
import type { Call, Client } from '../upstream/client.ts';
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
    const rows = (body as { value?: unknown } | null)?.value;
    return (Array.isArray(rows) ? rows : []).flatMap((row) => {
      const resource = readResource(String(row?.resource), types);
      const isOurs = row?.notificationUrl === notificationUrl && resource?.id === null;
      const isWanted = isOurs && resource.companyId === companyId && resource.type === type;
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
      await Promise.allSettled(others.map(({ id }) => remove(id)));
      if (!found) return readFound((await write('POST', root, undefined, wanted)).body);
      if (!mustRenew && found.clientState === clientState) return found;
      return readFound((await write('PATCH', addressOf(found.id), found.etag, wanted)).body);
    },
  };
}

const usualLifeMs = 3 * 24 * 3_600_000;

function readFound(body: unknown): Found {
  const row = (body ?? {}) as Readonly<Record<string, unknown>>;
  const endsAt = Date.parse(String(row.expirationDateTime));
  return {
    id: String(row.subscriptionId),
    endsAt: Number.isNaN(endsAt) ? Date.now() + usualLifeMs : endsAt,
    etag: String(row['@odata.etag'] ?? '*'),
    clientState: typeof row.clientState === 'string' ? row.clientState : null,
  };
}

/** What a log may say of a failure: what the upstream wrote may hold what must not be there. */
export const loggable = ({ code, status }: UpstreamError) => ({ code, status });
