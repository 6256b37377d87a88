import { buildConnector, type Dispatcher, Pool } from 'undici';
import { type Fate, UpstreamError, type UpstreamName } from '../errors.ts';
import type { Access } from './access.ts';
import type { Answer, Headers } from './answer.ts';
import { cutRows, type RowRange } from './cut-rows.ts';
import { errorOf } from './error-answers.ts';
import { mapTexts, parseJson } from './json.ts';

export interface Call {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** Path and query below the base address, percent-encoded, beginning with a slash. Sent byte for byte. */
  readonly path: string;
  readonly access: Access;
  readonly headers?: Readonly<Record<string, string>>;
  /** JSON text. */
  readonly body?: string;
  /** Writes get more time: cut short, their outcome is unknown. */
  readonly isWrite?: boolean;
  /** The rows of a collection that will be looked at. Of a very long answer the others are not parsed. */
  readonly rows?: RowRange;
  /** What explanations show instead of the path, where it is not the caller's to know. */
  readonly shownAs?: string;
  /** How many keys the call looks up; for explanations only. */
  readonly keys?: number;
  /** What a batch holds; for explanations only. */
  readonly parts?: readonly PartNote[];
}

/** One part of a batch, for explanations. */
export interface PartNote {
  readonly method: string;
  readonly path: string;
  readonly keys: number | undefined;
  /** 0 while, or when, the batch's answer says nothing about it. */
  readonly status: number;
}

export interface Client {
  /**
   * One request, one attempt; a second where the upstream did not accept a token of the layer's own and there is
   * another. Resolves with a 2xx answer; throws `UpstreamError` for everything else. Redirects are never followed:
   * the token goes to the configured origin and nowhere else.
   */
  send(call: Call): Promise<Answer>;
  /** An answer outside 2xx that came inside another one as the error it is. */
  refusal(answer: Answer): UpstreamError;
  close(): Promise<void>;
}

export interface ClientOptions {
  readonly upstream: UpstreamName;
  /** Base address; a path in it is put before every call's path. */
  readonly url: string;
  /** From the first byte sent to the last byte read. */
  readonly readTimeoutMs: number;
  readonly writeTimeoutMs: number;
  readonly maxResponseBytes: number;
  readonly connections: number;
}

// Shorter bodies are read and parsed in one go.
const longText = 1024 * 1024;

/** Speaks HTTP to one upstream over kept-alive connections, with the caller's own token. */
export function createClient(options: ClientOptions): Client {
  const { upstream, readTimeoutMs, writeTimeoutMs } = options;
  const base = new URL(options.url);
  const prefix = base.pathname.replace(/\/$/, '');
  // What kept a connection from standing: of the request that waited for it, nothing was sent.
  const unconnected = new WeakSet<Error>();
  // Said here, no setting of the process makes less of it.
  const secure = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
  const open = buildConnector({ ...secure, timeout: Math.min(readTimeoutMs, 10_000) });
  const pool = new Pool(base.origin, {
    connections: options.connections,
    maxResponseSize: options.maxResponseBytes,
    // The signal below ends every call: undici's own limits count idle time only, and a body may drip.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (target, callback) =>
      open(target, (...[error, socket]) => {
        if (error === null) return callback(null, socket);
        unconnected.add(error);
        return callback(error, null);
      }),
  });

  const refusal: Client['refusal'] = ({ status, headers, body, discreet }) =>
    errorOf({ upstream, status, headers, body: mapTexts(body, discreet) });

  const attempt = async (call: Call, token: string): Promise<Answer> => {
    const { method, path, headers: given, body: sent, isWrite, rows } = call;
    let status: number;
    let headers: Headers;
    let text: string;
    try {
      const response = await pool.request({
        method,
        path: prefix + path,
        headers: {
          accept: 'application/json',
          'accept-encoding': 'identity',
          authorization: `Bearer ${token}`,
          ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
          ...given,
        },
        signal: AbortSignal.timeout(isWrite ? writeTimeoutMs : readTimeoutMs),
        ...(sent === undefined ? {} : { body: sent }),
      });
      status = response.statusCode;
      headers = response.headers;
      text = await readText(response, rows);
    } catch (error) {
      throw failureOf(upstream, error as Error, unconnected.has(error as Error) ? 'unsent' : 'unknown');
    }
    const discreet = (said: string) => discretion(options.url, token)(said);
    if (status < 200 || status > 299) throw refusal({ status, headers, body: parseOrNull(text), discreet });
    // Of a 202 the header is what counts; its body is not shown in the document.
    const isBlank = text === '' || (status === 202 && parseOrNull(text) === null);
    return { status, headers, body: isBlank ? null : parseOrThrow(upstream, status, text), discreet };
  };

  return {
    refusal,

    async send(call) {
      const token = await call.access.token();
      try {
        return await attempt(call, token);
      } catch (error) {
        // What was not let in was not carried out either: sent again, even a write happens once.
        const isRefused = error instanceof UpstreamError && error.status === 401;
        if (!isRefused || !call.access.reject(token)) throw error;
        return attempt(call, await call.access.token());
      }
    },

    close: () => pool.destroy(),
  };
}

// Of a shorter token only whole words are hidden: it may be a word, and is a sandbox's at best.
const shortToken = 8;

/** What to do to an upstream's own texts before a caller sees them: no address, no token. */
export function discretion(url: string, token: string): (text: string) => string {
  const { hostname, port } = new URL(url);
  const name = literally(hostname);
  const address = new RegExp(port === '' ? name : `${name}(:${port})?`, 'gi');
  const edge = token.length < shortToken ? ['(?<!\\w)', '(?!\\w)'] : ['', ''];
  const secret = new RegExp(edge.join(literally(token)), 'g');
  return (text) => text.replace(address, '[upstream]').replace(secret, '[token]');
}

const literally = (text: string) => text.replace(/[^\w-]/g, '\\$&');

/** Stands for an upstream that has no address in this deployment: every call fails, naming the setting. */
export function createAbsentClient(upstream: UpstreamName, variable: string): Client {
  const refusal = () =>
    new UpstreamError('UPSTREAM_NOT_CONFIGURED', `This deployment has no ${variable}.`, {
      upstream,
      fate: 'unsent',
    });
  return {
    refusal,
    async send() {
      throw refusal();
    },
    close: async () => {},
  };
}

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

// Of a long body only what is wanted is kept, and decoded as it comes: its bytes and its text together would be
// most of what the process holds.
async function readText(
  { headers, body }: Dispatcher.ResponseData,
  rows: RowRange | undefined,
): Promise<string> {
  if (Number(headers['content-length']) <= longText) return body.text();
  const decoder = new TextDecoder();
  let text = '';
  for await (const piece of rows ? cutRows(body, rows) : body)
    text += decoder.decode(piece, { stream: true });
  return text + decoder.decode();
}

const tooLong = 'UND_ERR_RES_EXCEEDED_MAX_SIZE';

/** Whether an answer was refused because it is longer than may be read. */
export const isTooLong = ({ cause }: UpstreamError): boolean =>
  (cause as { code?: unknown } | undefined)?.code === tooLong;

function failureOf(upstream: UpstreamName, cause: NodeJS.ErrnoException, fate: Fate): UpstreamError {
  const { name, code } = cause;
  if (code === tooLong) {
    return new UpstreamError('UPSTREAM_BAD_RESPONSE', 'The upstream answered with more than may be read.', {
      upstream,
      fate,
      cause,
    });
  }
  if (name === 'TimeoutError' || code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new UpstreamError('UPSTREAM_TIMEOUT', 'The upstream did not answer in time.', {
      upstream,
      fate,
      cause,
    });
  }
  return new UpstreamError('UPSTREAM_UNAVAILABLE', 'The upstream cannot be reached, or cut the connection.', {
    upstream,
    fate,
    cause,
  });
}
