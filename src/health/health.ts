import { InputError, UpstreamError } from '../errors.ts';
import type { Client } from '../upstream/client.ts';
import { badResponse } from '../upstream/error-answers.ts';
import { addressFault, type EventAddress, eventPath } from './event-address.ts';
import { type HealthEventRecord, readEvent } from './event-record.ts';

/** What the resolvers of area C work with: one for each request, with the caller's own token. */
export interface Health {
  /** The event's details, or null when there is none; without a subscription, as the tenant sees it. */
  event(trackingId: string, subscriptionId: string | null): Promise<HealthEventRecord | null>;
}

export interface HealthOptions {
  readonly client: Client;
  readonly namespace: string;
  readonly apiVersion: string;
}

/** The health area as one request sees it: an event asked for twice is fetched once, its failure included. */
export function createHealth(options: HealthOptions, token: string | null): Health {
  const fetched = new Map<string, Promise<HealthEventRecord | null>>();

  const fetchEvent = async (path: string, address: EventAddress): Promise<HealthEventRecord | null> => {
    const body = await options.client.send({ method: 'POST', path, token }).then(
      (answer) => answer.body,
      (error: unknown) => {
        if (error instanceof UpstreamError && error.status === 404) return undefined;
        throw error;
      },
    );
    if (body === undefined) return null;
    const event = readEvent(address, body);
    if (event) return event;
    throw badResponse('health', 'The upstream answered with something other than a health event.');
  };

  return {
    async event(trackingId, subscriptionId) {
      const address = { trackingId, subscriptionId };
      const fault = addressFault(address);
      if (fault) throw new InputError(fault);
      const path = eventPath(options, address);
      const event = fetched.get(path) ?? fetchEvent(path, address);
      fetched.set(path, event);
      return event;
    },
  };
}
