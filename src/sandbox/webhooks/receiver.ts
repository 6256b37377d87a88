import { randomUUID } from 'node:crypto';
import { badRequest } from '../refusal.ts';

/** How a receiver answered; `status` is 0 where it did not. */
interface Reply {
  readonly status: number;
  readonly text: string;
}

interface Sent {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly timeoutMs: number;
  /** Ends the request at once. */
  readonly signal: AbortSignal;
}

/** Posts to a receiver over a connection of its own; never throws, and follows no redirection. */
export async function post(url: string, { headers, body = '', timeoutMs, signal }: Sent): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...headers, connection: 'close' },
      body,
      redirect: 'manual',
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return { status: response.status, text: await response.text() };
  } catch {
    return { status: 0, text: '' };
  }
}

/** True for an address the sandbox can post to; the real service takes https alone. */
export function isReceiver(url: string): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}

/**
 * Asks a receiver whether it wants to be one: it answers 200 with the token of the query as its whole
 * body. Throws the refusal of what it was asked for.
 */
export async function shakeHands(url: string, timeoutMs: number, signal: AbortSignal): Promise<void> {
  const token = randomUUID();
  const mark = url.includes('?') ? '&' : '?';
  const { status, text } = await post(`${url}${mark}validationToken=${token}`, { timeoutMs, signal });
  if (status === 200 && text === token) return;
  const answered = status === 200 ? '200 with another body' : status || 'nothing';
  throw badRequest(
    `The notificationUrl must answer the validationToken with status 200 and the token as its body within ${timeoutMs} ms; it answered ${answered}.`,
  );
}
