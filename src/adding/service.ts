import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { businessErrorRules } from '../business/error-rules.ts';
import type { UpstreamError } from '../errors.ts';
import { toUpstreamError } from '../http/errors.ts';
import { createRedaction } from '../http/redaction/redaction.ts';
import type { OutboundFetch } from '../http/wire/outbound-fetch.ts';
import { isJsonObject, type JsonObject, parseJson } from '../runtime/json.ts';
import { version } from '../runtime/version.ts';
import { AddingError, toPrintable } from './adding-error.ts';

export interface ServiceOptions {
  /** The URL before `/api/{route}`, without a slash at the end. */
  readonly url: string;
  readonly token: string | null;
  readonly fetch: OutboundFetch;
  /** Calls in all, those that are repeated after 429 included. */
  readonly maxCalls: number;
  /** For one call, until its body has been read. */
  readonly timeoutMs: number;
  /** How long all pauses that the service asks for may be together. */
  readonly maxWaitMs: number;
  /** The same for pauses where the service does not say how long (429 without a `Retry-After` of seconds or a date). */
  readonly maxGuessedWaitMs: number;
  /** Called before a pause. */
  readonly onWait?: (seconds: number) => void;
}

export interface ServiceRequest {
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the URL, percent-encoded, beginning with a slash. */
  readonly path: string;
  readonly body?: JsonObject;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxBytes?: number;
  readonly accept?: string;
}

/** A response: the text of a success, or the error of anything else. */
export type ServiceAnswer =
  | {
      readonly isOk: true;
      readonly status: number;
      readonly text: string;
      readonly bytes: Uint8Array;
      readonly headers: Headers;
    }
  | { readonly isOk: false; readonly status: number; readonly error: UpstreamError };

/** Asks one service, one call after another. The token is sent to its host only, and is in no text that is returned. */
export interface Service {
  readonly url: string;
  readonly calls: number;
  readonly callsLeft: number;
  /** Throws an `AddingError` where there is no response, or too long a one. Waits where the service says so (429). */
  send(request: ServiceRequest): Promise<ServiceAnswer>;
}

const maxAnswerBytes = 4 * 1024 * 1024;
const maxRedirects = 3;
const defaultWaitSeconds = 5;

export function createService(options: ServiceOptions): Service {
  const { url, token, timeoutMs } = options;
  const { origin } = new URL(url);
  const redact = createRedaction(url, [])(token ?? randomUUID());
  let calls = 0;
  let waitedMs = 0;
  let guessedMs = 0;

  const explain = (error: unknown): string => {
    const { name, message, cause } = error as Error;
    if (name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1_000} s`;
    return toPrintable(redact(cause instanceof Error ? cause.message || cause.name : message, 'message'));
  };

  const attempt = async (
    request: ServiceRequest,
    target: string,
    redirects: number,
  ): Promise<ServiceAnswer> => {
    if (calls >= options.maxCalls)
      throw new AddingError(`The limit of ${options.maxCalls} calls is reached.`);
    calls += 1;
    const { method = 'GET', body, maxBytes = maxAnswerBytes, accept = 'application/json' } = request;
    const response = await options.fetch(target, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept,
        'user-agent': `tributary/${version}`,
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body && { 'content-type': 'application/json' }),
        ...request.headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const { status, headers } = response;
    if (status >= 300 && status <= 399) {
      await response.body?.cancel();
      const next = redirectOf(headers, target, origin);
      const reason = whyNotFollowed(method, next, redirects, origin);
      if (next === null || reason !== null)
        throw new AddingError(
          `${describeTarget(target)} redirects ${reason}. Give the URL of the service itself.`,
        );
      return attempt(request, next, redirects + 1);
    }
    const bytes = await readBytes(response, maxBytes, target);
    const text = new TextDecoder().decode(bytes);
    if (status >= 200 && status <= 299) return { isOk: true, status, text, bytes, headers };
    const error = toUpstreamError(
      { upstream: 'business', status, headers: Object.fromEntries(headers), body: parseOrNull(text) },
      redact,
      businessErrorRules,
    );
    return { isOk: false, status, error };
  };

  return {
    url,
    get calls() {
      return calls;
    },
    get callsLeft() {
      return Math.max(0, options.maxCalls - calls);
    },
    async send(request) {
      for (;;) {
        let answer: ServiceAnswer;
        try {
          answer = await attempt(request, url + request.path, 0);
        } catch (error) {
          if (error instanceof AddingError) throw error;
          throw new AddingError(`No answer from ${describeTarget(url + request.path)}: ${explain(error)}.`);
        }
        if (answer.status !== 429 || answer.isOk) return answer;
        const said = answer.error.retryAfterSeconds;
        // `Retry-After: 0` would be an endless loop of calls.
        const seconds = Math.max(said ?? defaultWaitSeconds, 1);
        waitedMs += seconds * 1_000;
        if (said === null) guessedMs += seconds * 1_000;
        if (guessedMs > options.maxGuessedWaitMs)
          throw new AddingError(
            `The service is throttling this caller (429) and does not say for how long: it still did after ${Math.round((guessedMs - seconds * 1_000) / 1_000)} s. Run the command again later.`,
          );
        if (waitedMs > options.maxWaitMs)
          throw new AddingError(
            `The service is throttling this caller and asks to wait ${seconds} s more. Run the command again after that.`,
          );
        options.onWait?.(seconds);
        await sleep(seconds * 1_000);
      }
    },
  };
}

/** The address that a redirect leads to; null where it is at another host. */
function redirectOf(headers: Headers, from: string, origin: string): string | null {
  const location = headers.get('location');
  if (location === null || !URL.canParse(location, from)) return null;
  const next = new URL(location, from);
  return next.origin === origin ? next.href : null;
}

/** Why a redirect is not followed; null where it is. */
function whyNotFollowed(
  method: string,
  next: string | null,
  redirects: number,
  origin: string,
): string | null {
  if (next === null) return `to another address, which is not followed: the token is for ${origin} only`;
  if (method !== 'GET') return `a ${method}, which is not followed: only reads are`;
  return redirects === maxRedirects ? `more than ${maxRedirects} times` : null;
}

/** An address in messages, without its query. */
const describeTarget = (target: string): string => toPrintable(target.split('?')[0] ?? '');

async function readBytes(response: Response, maxBytes: number, target: string): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes)
      throw new AddingError(
        `${describeTarget(target)} answers with more than ${maxBytes / 1024 / 1024} MiB, which is too long.`,
      );
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Parses JSON; a number that a double cannot hold becomes the text of its digits. */
export function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

/** The rows of a collection; null where the text is none. */
export function readRows(text: string): readonly JsonObject[] | null {
  const body = parseOrNull(text);
  if (!isJsonObject(body) || !Array.isArray(body.value)) return null;
  return body.value.every(isJsonObject) ? body.value : null;
}
