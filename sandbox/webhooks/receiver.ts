import { randomUUID } from 'node:crypto';
import { badRequestError } from '../api-error.ts';

/** The response of a receiver. `status` is 0 when there is none. */
interface ReceiverResponse {
  readonly status: number;
  readonly text: string;
}

interface ReceiverRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Aborts the request. */
  readonly signal: AbortSignal;
}

/** Posts to a receiver over a new HTTP connection. Never throws, and does not follow redirects. */
export async function postToReceiver(
  url: string,
  { headers, body = '', timeoutMs, signal }: ReceiverRequest,
): Promise<ReceiverResponse> {
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
  const { status, text } = await postToReceiver(`${url}${mark}validationToken=${token}`, {
    timeoutMs,
    signal,
  });
  if (status === 200 && text === token) return;
  const answered = status === 200 ? '200 with another body' : status || 'nothing';
  throw badRequestError(
    `The notificationUrl must answer the validationToken with status 200 and the token as its body within ${timeoutMs} ms. It responded with ${answered}.`,
  );
}
