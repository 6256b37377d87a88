import { z } from 'zod';

/** Where a gateway takes the events of a subscription (`extensions.subscription` of its request). */
export interface CallbackTarget {
  readonly url: string;
  /** The gateway's name for the subscription. */
  readonly id: string;
  /** Proves to the gateway that messages are from the server that it asked. */
  readonly verifier: string;
  /** Milliseconds between heartbeats; 0 for none. */
  readonly heartbeatMs: number;
}

// Shorter intervals are work without a use; longer ones keep subscriptions of gateways that are gone.
const minHeartbeatMs = 1_000;
const maxHeartbeatMs = 300_000;

const target = z.object({
  callbackUrl: z.string().max(2_000),
  subscriptionId: z.string().min(1).max(1_000),
  verifier: z.string().min(1).max(1_000),
  heartbeatIntervalMs: z.number().min(0).default(5_000),
});

/** Reads the target of a request; returns why there is none that may be called. `origins` are those of the setting. */
export function readCallbackTarget(
  extensions: unknown,
  origins: readonly string[],
): CallbackTarget | { readonly fault: string } {
  if (origins.length === 0)
    return {
      fault:
        'Subscriptions by HTTP callback are off (CALLBACK_ORIGINS). Send `Accept: text/event-stream`, or subscribe over WebSocket.',
    };
  const { data: given } = z.object({ subscription: target }).safeParse(extensions);
  if (!given)
    return {
      fault:
        'A subscription by HTTP callback needs `callbackUrl`, `subscriptionId`, `verifier` and `heartbeatIntervalMs` in `extensions.subscription`.',
    };
  const { callbackUrl, subscriptionId, verifier, heartbeatIntervalMs } = given.subscription;
  const url = URL.canParse(callbackUrl) ? new URL(callbackUrl) : null;
  if (!url || !origins.includes(url.origin) || url.username || url.password)
    return { fault: 'The origin of `callbackUrl` is not one of CALLBACK_ORIGINS.' };
  const heartbeatMs =
    heartbeatIntervalMs === 0 ? 0 : Math.min(Math.max(heartbeatIntervalMs, minHeartbeatMs), maxHeartbeatMs);
  url.hash = '';
  return { url: url.href, id: subscriptionId, verifier, heartbeatMs };
}
