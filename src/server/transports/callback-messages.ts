import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { CallbackTarget } from './callback-request.ts';

/** Sends one HTTP request, through its proxy where it has one. */
export type SendRequest = (url: string, init: RequestInit) => Promise<Response>;

/** A message of the protocol. */
export type CallbackMessage =
  | { readonly action: 'check' }
  | { readonly action: 'next'; readonly payload: ExecutionResult }
  | { readonly action: 'complete'; readonly errors?: readonly GraphQLError[] };

/** What came of a message: `refused` if the gateway does not have the subscription, or does not take the message. */
export type Delivery = 'accepted' | 'refused' | 'failed';

export const callbackProtocol = 'callback/1.0';
const attemptTimeoutMs = 10_000;
// The gateway may not have read the response to its request before the first event arrives.
const retryDelaysMs = [100, 500, 2_000];

/** A message as the protocol has it. */
export const formatMessage = ({ id, verifier }: CallbackTarget, message: CallbackMessage): string =>
  JSON.stringify({ kind: 'subscription', ...message, id, verifier });

/**
 * Posts a message. `retries` is how often it is sent again where there is no response, or one of 5xx: a gateway may then get
 * it twice. Redirects are not followed. Sends no token and no header of a caller.
 */
export async function postMessage(
  send: SendRequest,
  { url }: CallbackTarget,
  body: string,
  signal: AbortSignal,
  retries = retryDelaysMs.length,
): Promise<Delivery> {
  for (let attempt = 0; ; attempt++) {
    const delivery = await postOnce(send, url, body, signal);
    if (delivery !== 'failed' || attempt >= retries || signal.aborted) return delivery;
    await sleep(retryDelaysMs[attempt], null, { signal }).catch(() => {});
  }
}

async function postOnce(
  send: SendRequest,
  url: string,
  body: string,
  signal: AbortSignal,
): Promise<Delivery> {
  try {
    const response = await send(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'subscription-protocol': callbackProtocol },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(attemptTimeoutMs)]),
    });
    await response.body?.cancel();
    if (response.ok) return 'accepted';
    return response.status >= 500 ? 'failed' : 'refused';
  } catch {
    return 'failed';
  }
}
