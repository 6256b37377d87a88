import { randomUUID } from 'node:crypto';
import type { Readable } from 'node:stream';
import { InputError, UpstreamError, type UpstreamName } from '../errors.ts';
import { waitForTurn } from '../runtime/cooperative-queue.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { parseJson } from '../runtime/json.ts';
import { version } from '../runtime/version.ts';
import type { UpstreamCall } from './call.ts';
import { badResponseError, type ErrorRule, toUpstreamError } from './errors.ts';
import { ExchangeExpired, type RawResponse, sendRequest } from './exchange.ts';
import { leavesBase } from './path-segment.ts';
import { createRedaction, removeToken } from './redaction.ts';
import {
  type Redact,
  type ResponseHeaders,
  readUpstreamRequestId,
  type UpstreamResponse,
} from './response.ts';
import { findStreamMistake, readStart, type StreamedResponse } from './streaming.ts';
import { timeoutError, toTransportError } from './transport-errors.ts';
import { acceptEncoding, isKnownCoding } from './wire/body-reader.ts';
import { createConnectionPool } from './wire/connection-pool.ts';
import { createConnector, type WireOptions } from './wire/connector.ts';

export interface HttpTransportOptions {
  readonly upstream: UpstreamName;
  /** The base address. Its path is prepended to the path of every call. */
  readonly url: string;
  readonly readTimeoutMs: number;
  /** The longest response, in bytes after decompression. */
  readonly maxResponseBytes: number;
  readonly wire: WireOptions;
  /** How long an idle HTTP connection is kept for reuse. */
  readonly keepAliveMs: number;
  /** The header that sends the id of the request to the upstream. */
  readonly clientRequestIdHeader: string;
  /** Redacted in every text of the upstream, like the token of the call. */
  readonly secrets: readonly string[];
  readonly errorRules: readonly ErrorRule[];
}

/** Sends requests to one upstream over kept-alive HTTP connections. */
export interface HttpTransport {
  /**
   * Makes one attempt of a call. Resolves with a 2xx response; otherwise throws an `UpstreamError`. Redirects are not
   * followed: the token is sent to the configured origin only. With `isFresh` the attempt opens an HTTP connection of its
   * own.
   */
  send(call: UpstreamCall, token: string, deadline: Deadline, isFresh: boolean): Promise<UpstreamResponse>;
  /**
   * Like `send`, but the body is a stream of bytes. Resolves with the head of a 2xx response, 304 or 416. `deadline`
   * applies to the head.
   */
  open(call: UpstreamCall, token: string, deadline: Deadline, isFresh: boolean): Promise<StreamedResponse>;
  /** Returns the error of a failed part of a batch. */
  toError(part: UpstreamResponse): UpstreamError;
  /** Creates the redactor for texts of the upstream after it was sent this token. */
  createRedactor(token: string): Redact;
  close(): Promise<void>;
}

const userAgent = `tributary/${version}`;

export function createHttpTransport(options: HttpTransportOptions): HttpTransport {
  const { upstream, clientRequestIdHeader, maxResponseBytes, readTimeoutMs } = options;
  // A request that is aborted earlier says nothing about the upstream's health.
  const slowMs = Math.min(readTimeoutMs / 2, maxConnectTimeoutMs);
  const createRedactor = createRedaction(options.url, options.secrets);
  const base = new URL(options.url);
  const basePath = base.pathname.replace(/\/$/, '');
  const baseQuery = base.search.slice(1);
  const { proxy, clientCertificate } = options.wire;
  // A proxy forwards requests to an http upstream, and opens a tunnel to an https upstream.
  const forwardProxy = base.protocol === 'http:' ? proxy : null;
  const absoluteForm = forwardProxy ? base.origin : '';
  const { connect, isConnectError } = createConnector({
    timeoutMs: Math.min(readTimeoutMs, maxConnectTimeoutMs),
    tunnelProxy: forwardProxy ? null : proxy,
    clientCertificate,
  });
  const pool = createConnectionPool({
    origin: forwardProxy?.origin ?? base.origin,
    connect,
    maxAgeMs: options.wire.maxConnectionAgeMs,
    clientOptions: {
      // The maximum overrides a longer `Keep-Alive: timeout` of the upstream.
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      maxHeaderSize: maxHeaderBytes,
      headersTimeout: 0,
    },
  });

  const proxyHeaders = {
    ...(forwardProxy && { host: base.host }),
    ...(forwardProxy?.authorization && { 'proxy-authorization': forwardProxy.authorization }),
  };

  const toError = ({ status, headers, body, redact }: UpstreamResponse) =>
    toUpstreamError({ upstream, status, headers, body }, redact, options.errorRules);

  const toFailure = (error: Error, startedAt: number): UpstreamError => {
    if (error instanceof ExchangeExpired) {
      const isEarly = performance.now() - startedAt < slowMs;
      return timeoutError(upstream, error.isSent ? 'unknown' : 'notSent', isEarly ? undefined : error);
    }
    return toTransportError(upstream, error, isConnectError(error) ? 'notSent' : 'unknown');
  };

  const resolvePath = (path: string): string => {
    // A client may send a path inside an encrypted handle, and the secret may have leaked.
    if (leavesBase(path)) throw new InputError('The address is not one of the upstream.');
    const query = baseQuery && `${path.includes('?') ? '&' : '?'}${baseQuery}`;
    return basePath + path + query;
  };

  const startExchange = (
    call: UpstreamCall,
    token: string,
    deadline: Deadline,
    isFresh: boolean,
    isStreamed: boolean,
  ): Promise<RawResponse> => {
    const { language, clientRequestId } = call.access;
    const request = {
      method: call.method,
      path: absoluteForm + resolvePath(call.path),
      headers: {
        accept: isStreamed ? '*/*' : 'application/json',
        'accept-encoding': isStreamed ? 'identity' : acceptEncoding,
        authorization: `Bearer ${token}`,
        'user-agent': userAgent,
        ...proxyHeaders,
        // The same for every attempt: upstreams only log it (docs/upstream.md).
        [clientRequestIdHeader]: clientRequestId ?? randomUUID(),
        // On a batch it applies to every part (OASIS ODATA-942).
        ...(language === null ? {} : { 'accept-language': language }),
        ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      // An idle timeout, for streams only: their readers may be slow, so no deadline ends them. Other calls have a
      // deadline.
      bodyTimeout: isStreamed ? maxStreamIdleMs : 0,
      ...(call.body === undefined ? {} : { body: call.body }),
    };
    const startedAt = performance.now();
    return sendRequest(pool.acquire(isFresh), request, deadline, {
      isStreamed,
      maxBytes: isStreamed ? Number.POSITIVE_INFINITY : maxResponseBytes,
    }).catch((error: Error) => {
      throw toFailure(error, startedAt);
    });
  };

  const open: HttpTransport['open'] = async (call, token, deadline, isFresh) => {
    const { status, headers, stream } = await startExchange(call, token, deadline, isFresh, true);
    const body = stream as Readable;
    const head = { status, headers, bytes: null, redact: createRedactor(token) };
    const mistake = findStreamMistake(call, head);
    if (mistake !== null) {
      body.destroy();
      throw badResponseError(upstream, mistake, { ...head, body: null });
    }
    if ((status >= 200 && status <= 299) || status === 304 || status === 416) return { ...head, body };
    throw toError({ ...head, body: parseOrNull(await readStart(body, maxErrorBytes)) });
  };

  const send: HttpTransport['send'] = async (call, token, deadline, isFresh) => {
    const raw = await startExchange(call, token, deadline, isFresh, false);
    const { status, text } = raw;
    // Parsing a long body blocks the event loop, so long bodies are parsed one at a time, and callers take turns.
    if (text !== null && text.length > longBodyLength) await waitForTurn(call.access.principal);
    const headers = removeTokenFromEtag(raw.headers, token);
    const bytes = text?.length ?? 0;
    const redact = createRedactor(token);
    const toResponse = (body: unknown): UpstreamResponse => ({ status, headers, bytes, redact, body });
    if (status < 200 || status > 299) throw toError(toResponse(parseOrNull(text)));
    // A read with status 200 has a body: an empty one without a declared length was cut off.
    const isBodyRequired = status === 200 && !raw.isDelimited && (call.kind ?? 'read') === 'read';
    // The source document defines headers but no body for a 202.
    const isEmpty = status === 202 ? parseOrNull(text) === null : text === '' && !isBodyRequired;
    if (isEmpty) return toResponse(null);
    return toResponse(removeToken(parseOrThrow(upstream, toResponse(null), raw), text ?? '', token));
  };

  return {
    send,
    open,
    toError,
    createRedactor,
    close: pool.close,
  };
}

// The ETag is the only header of a 2xx response that callers see.
function removeTokenFromEtag(headers: ResponseHeaders, token: string): ResponseHeaders {
  const { etag } = headers;
  if (typeof etag !== 'string') return headers;
  const shown = removeToken(etag, etag, token);
  return shown === etag ? headers : { ...headers, etag: String(shown) };
}

// A blank text, or one that begins as JSON.
const jsonStart = /^\s*(?:[[{]|$)/;

const notJson = 'The upstream responded with something other than JSON.';
const codingNotRequested = 'The upstream responded in a content coding that was not requested.';

/** Parses the JSON of a 2xx response. Throws `UpstreamError` if it is invalid. */
function parseOrThrow(
  upstream: UpstreamName,
  response: UpstreamResponse,
  { headers, text }: RawResponse,
): unknown {
  try {
    if (text !== null) return parseJson(text);
  } catch {
    // The parser's error quotes the body, so it does not become the cause.
    // A body that begins as JSON was cut or damaged in transit, even if its length is right: an intermediary may have
    // buffered it.
    if (text !== null && jsonStart.test(text))
      throw new UpstreamError(
        'UPSTREAM_UNAVAILABLE',
        'The upstream responded with JSON that is incomplete or invalid.',
        {
          upstream,
          delivery: 'unknown',
          upstreamRequestId: readUpstreamRequestId(response),
          // A cause makes it retryable, as after a broken connection.
          cause: new Error('The response is not complete.'),
        },
      );
  }
  const message = isKnownCoding(headers) ? notJson : codingNotRequested;
  throw new UpstreamError('UPSTREAM_BAD_RESPONSE', message, {
    upstream,
    delivery: 'unknown',
    status: response.status,
    upstreamRequestId: readUpstreamRequestId(response),
  });
}

/** Parses JSON; null if it is invalid. */
function parseOrNull(text: string | null): unknown {
  try {
    return text === null ? null : parseJson(text);
  } catch {
    return null;
  }
}

const maxConnectTimeoutMs = 10_000;
const maxErrorBytes = 64 * 1024;
const maxStreamIdleMs = 60_000;
const longBodyLength = 64 * 1024;

// The default of Node.js; explicit, so that `--max-http-header-size` does not change it.
const maxHeaderBytes = 16 * 1024;
