import { randomUUID } from 'node:crypto';
import { badRequestError } from '../api-error.ts';
import { type CheckedFields, isCount, isListOf, type JsonCheck } from '../json-checks.ts';

/** Posts to a receiver over a new HTTP connection, without following redirects. The status is 0 when there is no response. */
export async function postToReceiver(
  url: string,
  timeoutMs: number,
  signal: AbortSignal,
  { headers = {}, body = '' }: { headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; text: string }> {
  const ending = new AbortController();
  const end = () => ending.abort();
  // Not `AbortSignal.any` of a timeout: Node.js collects such a timeout as garbage before it fires (nodejs/node#57736).
  const timer = setTimeout(end, timeoutMs);
  signal.addEventListener('abort', end);
  try {
    signal.throwIfAborted();
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, connection: 'close' },
      body,
      redirect: 'manual',
      signal: ending.signal,
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}

/** True for an http or https URL. The real service accepts only https. */
export function isHttpUrl(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/**
 * Validates a receiver: it must respond with 200 and the token of the query as its whole body. Throws an
 * `ApiError` otherwise.
 */
export async function validateReceiver(url: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const token = randomUUID();
  const mark = url.includes('?') ? '&' : '?';
  const { status, text } = await postToReceiver(`${url}${mark}validationToken=${token}`, timeoutMs, signal);
  if (status === 200 && text === token) return;
  const answered = status === 200 ? '200 with another body' : status || 'nothing';
  throw badRequestError(
    `The notificationUrl must answer the validationToken with status 200 and the token as its body within ${timeoutMs} ms. It responded with ${answered}.`,
  );
}

/** The maximum of a timer. */
const isTimerDelay: JsonCheck<number> = (value): value is number => isCount(value) && value <= 2_147_483_647;

/** How the sandbox delivers webhooks: the checks of the settings. */
export const webhookChecks = {
  /** Delay from the first change to the request. */
  delayMs: isTimerDelay,
  /** Lifetime of a subscription from its creation or renewal. */
  lifetimeMs: isTimerDelay,
  /** Maximum number of notifications per subscription before they become one for the collection. */
  collectionLimit: isCount,
  /** Timeout of a receiver, for validation and notifications. */
  timeoutMs: isTimerDelay,
  /** Pauses between attempts. */
  retryPausesMs: isListOf(isTimerDelay),
};

export type WebhookOptions = CheckedFields<typeof webhookChecks>;
export type WebhookSettings = Required<WebhookOptions>;

/** Shorter than on the real service, which waits 30 s and minutes in place of seconds, except for the lifetime. */
export const usualWebhookSettings: WebhookSettings = {
  delayMs: 1_000,
  lifetimeMs: 3 * 24 * 3_600_000,
  collectionLimit: 1_000,
  timeoutMs: 5_000,
  retryPausesMs: [1_000, 1_000, 10_000, 100_000],
};
