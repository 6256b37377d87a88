import { buildConnector, Pool } from 'undici';
import { type Fate, UpstreamError, type UpstreamName } from '../errors.ts';
import { ownRound } from '../rounds.ts';
import type { Answer, Headers } from './answer.ts';
import type { Call } from './client.ts';
import type { Deadline } from './deadline.ts';
import { createDiscretion, withoutToken } from './discretion.ts';
import { errorOf } from './error-answers.ts';
import { exchange, GivenUp, type Received } from './exchange.ts';
import { parseJson } from './json.ts';

export interface ConnectionOptions {
  readonly upstream: UpstreamName;
  /** Base address; a path in it is put before every call's path. */
  readonly url: string;
  readonly connectTimeoutMs: number;
  /** What is cut short sooner than this says nothing of the upstream. */
  readonly slowMs: number;
  readonly maxResponseBytes: number;
  readonly connections: number;
  /** What no text of the upstream may show, beside the token of a call. */
  readonly secrets: readonly string[];
}

/** Speaks HTTP to one upstream over kept-alive connections. */
export interface Connection {
  /**
   * One request, one attempt. Resolves with a 2xx answer; throws `UpstreamError` for everything else. Redirects are never
   * followed: the token goes to the configured origin and nowhere else.
   */
  attempt(call: Call, token: string, deadline: Deadline): Promise<Answer>;
  /** An answer outside 2xx that came inside another one as the error it is. */
  refusal(answer: Answer): UpstreamError;
  /** What to do to texts that the upstream may have written before a caller sees them, where it was sent this token. */
  discretionFor(token: string): Answer['discreet'];
  close(): Promise<void>;
}

export function createConnection(options: ConnectionOptions): Connection {
  const { upstream } = options;
  const discretionFor = createDiscretion(options.url, options.secrets);
  const base = new URL(options.url);
  const prefix = base.pathname.replace(/\/$/, '');
  // What kept a connection from standing: of the request that waited for it, nothing was sent.
  const unconnected = new WeakSet<Error>();
  // Said here, no setting of the process makes less of it.
  const secure = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
  const open = buildConnector({ ...secure, timeout: options.connectTimeoutMs });
  const pool = new Pool(base.origin, {
    connections: options.connections,
    maxResponseSize: options.maxResponseBytes,
    // The deadline ends every call: undici's own limits count idle time only, and a body may drip.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) =>
      open(target, (...[error, socket]) => {
        if (error === null) return callback(null, socket);
        unconnected.add(error);
        return callback(error, null);
      }),
  });

  const refusal: Connection['refusal'] = ({ status, headers, body, discreet }) =>
    errorOf({ upstream, status, headers, body }, discreet);

  const isSoon = (startedAt: number) => performance.now() - startedAt < options.slowMs;

  const attempt: Connection['attempt'] = async (call, token, deadline) => {
    const { method, path, headers: given, body: sent, rows } = call;
    const startedAt = performance.now();
    let received: Received;
    try {
      received = await exchange(
        pool,
        {
          method,
          path: prefix + path,
          headers: {
            accept: 'application/json',
            'accept-encoding': 'identity',
            authorization: `Bearer ${token}`,
            ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
            ...given,
          },
          ...(sent === undefined ? {} : { body: sent }),
        },
        deadline,
        rows,
      );
    } catch (error) {
      if (error instanceof GivenUp)
        throw late(upstream, error.isSent ? 'unknown' : 'unsent', isSoon(startedAt) ? undefined : error);
      throw failureOf(upstream, error as Error, unconnected.has(error as Error) ? 'unsent' : 'unknown');
    }
    const { status, headers, text } = received;
    // Whoever asked for much waits for others with it: long bodies are parsed one in each round of the event loop.
    if (text.length > longBody) await ownRound();
    const discreet = discretionFor(token);
    if (status < 200 || status > 299) throw refusal({ status, headers, body: parseOrNull(text), discreet });
    // Of a 202 the header is what counts; its body is not shown in the document.
    const isBlank = text === '' || (status === 202 && parseOrNull(text) === null);
    const body = isBlank ? null : withoutToken(parseOrThrow(upstream, status, text), text, token);
    return { status, headers: withoutTokenInTag(headers, token), body, discreet };
  };

  return { attempt, refusal, discretionFor, close: () => pool.destroy() };
}

// Of the headers of a good answer callers are shown the entity tag alone.
function withoutTokenInTag(headers: Headers, token: string): Headers {
  const { etag } = headers;
  if (typeof etag !== 'string') return headers;
  const shown = withoutToken(etag, etag, token);
  return shown === etag ? headers : { ...headers, etag: String(shown) };
}

const longBody = 64 * 1024;

function parseOrThrow(upstream: UpstreamName, status: number, text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    // The parser's message quotes the body, so it is not kept as a cause.
    throw new UpstreamError(
      'UPSTREAM_BAD_RESPONSE',
      'The upstream answered with something other than JSON.',
      {
        upstream,
        fate: 'unknown',
        status,
      },
    );
  }
}

function parseOrNull(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return null;
  }
}

const tooLong = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** Whether an answer was refused because it is longer than may be read. */
export const isTooLong = ({ cause }: UpstreamError): boolean =>
  (cause as { code?: unknown } | undefined)?.code === tooLong;

function failureOf(upstream: UpstreamName, cause: NodeJS.ErrnoException, fate: Fate): UpstreamError {
  const { code } = cause;
  if (code === tooLong) {
    return new UpstreamError('UPSTREAM_BAD_RESPONSE', 'The upstream answered with more than may be read.', {
      upstream,
      fate,
      cause,
    });
  }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') return late(upstream, fate, cause);
  return new UpstreamError('UPSTREAM_UNAVAILABLE', 'The upstream cannot be reached, or cut the connection.', {
    upstream,
    fate,
    cause,
  });
}

const late = (upstream: UpstreamName, fate: Fate, cause: unknown) =>
  new UpstreamError('UPSTREAM_TIMEOUT', 'The upstream did not answer in time.', { upstream, fate, cause });
