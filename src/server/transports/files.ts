import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { PassThrough, pipeline, type Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { InputError, UpstreamError } from '../../errors.ts';
import { toChallenge } from '../../http/auth/bearer.ts';
import { type Deadline, DeadlineController } from '../../runtime/deadline.ts';
import type { Caller, CallerReader } from '../caller.ts';
import type { Admission } from '../load/admission.ts';
import type { ConnectionLimiter } from '../load/connection-limits.ts';
import { holdSlot, onResponseClosed, releaseSlot } from '../load/request-slots.ts';
import { filesRoute } from '../paths.ts';
import { transportError } from '../rejection.ts';
import { sendRejection } from './http-request.ts';
import { originNotAllowed } from './origins.ts';

export interface OpenedFile {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Destroying it ends the upstream call. */
  readonly body: Readable;
  /** The file name for downloads. */
  readonly name: string;
}

export interface FileRequest {
  /** The part of the URL that identifies the file. Not validated. */
  readonly sealed: string;
  readonly caller: Caller;
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that replace the file; null to read it. */
  readonly body: Readable | null;
  /** Expires when the client disconnects, which ends a read. */
  readonly until: Deadline;
}

/** Opens a file. Throws `InputError` if the caller may not use the address, otherwise `UpstreamError`. */
export type OpenFile = (request: FileRequest) => Promise<OpenedFile>;

export interface FilesOptions {
  readonly admission: Admission;
  readonly callers: CallerReader;
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  readonly maxUploadBytes: number;
  readonly streams: ConnectionLimiter;
  readonly open: OpenFile;
}

const readHeaderNames = ['range', 'if-range', 'if-none-match', 'if-modified-since'] as const;

/** Streams files between callers and the upstream, with back-pressure. No file is stored. */
export function serveFiles(app: FastifyInstance, options: FilesOptions): void {
  app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', (_request: FastifyRequest, payload: IncomingMessage, done) =>
      done(null, payload),
    );
    scope.route<{ Params: { '*': string } }>({
      method: ['GET', 'HEAD', 'PUT'],
      url: filesRoute,
      exposeHeadRoute: false,
      bodyLimit: options.maxUploadBytes,
      handler: (request, reply) => handle(options, request, reply),
    });
  });
}

async function handle(
  { admission, callers, isAllowedOrigin, maxUploadBytes, streams, open }: FilesOptions,
  request: FastifyRequest<{ Params: { '*': string } }>,
  reply: FastifyReply,
): Promise<unknown> {
  const { headers, id, params, raw } = request;
  const isUpload = request.method === 'PUT';
  const refuse = (status: number, message: string, code: string) =>
    reply.code(status).send(transportError(message, code, id));
  if (!isAllowedOrigin(headers)) return refuse(403, originNotAllowed, 'FORBIDDEN');
  const length = Number(headers['content-length']);
  const unsupported = isUpload && headersUnsupportedInUploads.find((header) => headers[header] !== undefined);
  if (unsupported)
    return refuse(
      400,
      `An upload takes no \`${unsupported}\`. Send the whole file as it is, and its tag as \`if-match\`.`,
      'BAD_USER_INPUT',
    );
  if (isUpload && !Number.isInteger(length))
    return refuse(411, 'An upload needs a `content-length`.', 'BAD_USER_INPUT');
  if (isUpload && length > maxUploadBytes)
    return refuse(413, `A file has at most ${maxUploadBytes} bytes.`, 'BAD_USER_INPUT');
  if (isUpload) {
    const { socket } = raw;
    uploadingSockets.add(socket);
    onResponseClosed(reply.raw, () => uploadingSockets.delete(socket));
  }
  const caller = await admission.admit(callers.fromRequest(request));
  if ('errors' in caller) return sendRejection(reply, request, caller);
  holdSlot(reply.raw, caller.slot);
  const until = new DeadlineController(() => Number.POSITIVE_INFINITY);
  onResponseClosed(reply.raw, () => until.end());
  const body = isUpload ? readUpload(raw) : null;
  try {
    const opened = await open({
      sealed: params['*'],
      caller,
      headers: isUpload ? createUploadHeaders(headers, length) : pickReadHeaders(headers),
      body,
      until,
    });
    if (isUpload) return sendReplaced(reply, opened);
    const release = streams.acquireEventStream(caller);
    if (release === null) {
      opened.body.destroy();
      return refuse(503, tooManyFiles, 'OVERLOADED');
    }
    onResponseClosed(reply.raw, release);
    return sendFile(request, reply, opened);
  } catch (error) {
    if (body?.errored instanceof UploadStalled) {
      reply.header('connection', 'close');
      return refuse(408, 'The file was not sent in time.', 'BAD_USER_INPUT');
    }
    const { status, message, code, retryAfterSeconds, claims = null } = describeFailure(error, isUpload);
    if (retryAfterSeconds !== null) reply.header('retry-after', String(retryAfterSeconds));
    if (status === 401) reply.header('www-authenticate', toChallenge(claims));
    // Unread bytes of the upload would be parsed as the next request.
    if (isUpload && !raw.complete) reply.header('connection', 'close');
    return refuse(status, message, code);
  }
}

function sendReplaced(reply: FastifyReply, { headers, body }: OpenedFile): unknown {
  body.destroy();
  return reply
    .code(204)
    .headers(pick(headers, ['etag']))
    .send();
}

function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, headers, body, name }: OpenedFile,
): unknown {
  reply.code(status).headers(fileResponseHeaders(headers, name));
  if (request.method === 'HEAD' || status === 304) {
    body.destroy();
    return reply.send();
  }
  // Without `hijack`, Fastify would log an error before the first byte and respond with 500. The connection is cut instead.
  reply.hijack();
  const { raw } = reply;
  // From here on it counts as an open file, not as a request, since its reader may be slow.
  releaseSlot(raw);
  raw.writeHead(status, reply.getHeaders() as Record<string, string>);
  request.raw.socket.setTimeout(readerStallMs);
  pipeline(body, raw, (error) => {
    if (error) raw.destroy();
  });
  return reply;
}

const tooManyFiles = 'Too many files are being sent. Read those that are open, and retry.';

/** How long a client may read nothing while a file is being sent. */
const readerStallMs = 30_000;

// An upload replaces the whole file, on the condition `if-match`. These headers would be ignored.
const headersUnsupportedInUploads = [
  'content-range',
  'content-encoding',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
];

/** Ignores a request for several ranges, whose response would be multipart: the whole file is sent (RFC 9110 §14.2). */
function pickReadHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const picked = pick(headers, readHeaderNames);
  const { range, 'if-range': _ifRange, ...others } = picked;
  return range?.includes(',') ? others : picked;
}

const createUploadHeaders = (headers: IncomingHttpHeaders, length: number) => ({
  'content-type': 'application/octet-stream',
  'content-length': String(length),
  'if-match': headers['if-match'] ?? '*',
});

function pick(headers: IncomingHttpHeaders, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => (typeof headers[name] === 'string' ? [[name, headers[name] as string]] : [])),
  );
}

const statuses: Readonly<Record<string, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  UPSTREAM_NOT_FOUND: 404,
  UPSTREAM_THROTTLED: 503,
  UPSTREAM_UNAVAILABLE: 503,
  UPSTREAM_TIMEOUT: 504,
};

const unknownOutcome =
  'The upload was sent, but its outcome is unknown. Read the file before you send it again.';

function describeFailure(error: unknown, isUpload: boolean) {
  if (error instanceof InputError)
    return {
      status: statuses[error.code] ?? 400,
      message: error.message,
      code: error.code,
      retryAfterSeconds: null,
    };
  if (!(error instanceof UpstreamError)) throw error;
  const { code, delivery, message, retryAfterSeconds, claims } = error;
  if (isUpload && delivery === 'unknown')
    return { status: 502, message: unknownOutcome, code: 'OUTCOME_UNKNOWN', retryAfterSeconds: null };
  const isStale = error.status === 412 || error.detail?.code === 'Request_EntityChanged';
  const rejected = error.status === 404 ? 404 : isStale ? 412 : undefined;
  return { status: rejected ?? statuses[code] ?? 502, message, code, retryAfterSeconds, claims };
}

// Types that a browser displays without running scripts. Any other file is downloaded.
const inlineTypes = new Set([
  'application/pdf',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

const forwardedHeaders: Readonly<Record<string, RegExp>> = {
  'content-length': /^\d{1,15}$/,
  'content-range': /^bytes (?:\d{1,15}-\d{1,15}|\*)\/(?:\d{1,15}|\*)$/,
  'accept-ranges': /^(?:bytes|none)$/,
  etag: /^(?:W\/)?"[\x21\x23-\x7e]{0,1000}"$/,
  'last-modified': /^[A-Za-z0-9, :]{1,40}$/,
};

/**
 * Returns the headers of a response with an upstream's file. Of the upstream's headers, only well-formed ones about the
 * bytes are forwarded. No file can run scripts in the origin of the graph.
 */
function fileResponseHeaders(headers: IncomingHttpHeaders, name: string): Record<string, string> {
  const [value = ''] = String(headers['content-type'] ?? '').split(';', 1);
  const type = value.trim().toLowerCase();
  const isInline = inlineTypes.has(type);
  const forwarded = Object.entries(forwardedHeaders).flatMap(([header, pattern]) => {
    const value = headers[header];
    return typeof value === 'string' && pattern.test(value) ? [[header, value]] : [];
  });
  return {
    ...Object.fromEntries(forwarded),
    'content-type': isInline ? type : 'application/octet-stream',
    'content-disposition': `${isInline ? 'inline' : 'attachment'}; ${formatFileName(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    // Only this client may store the file, and must revalidate it at each use.
    'cache-control': 'private, no-cache',
    vary: 'Authorization',
  };
}

/** Formats the parameters `filename` (ASCII) and `filename*` (percent-encoded UTF-8) of RFC 6266 and RFC 8187. */
function formatFileName(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** How long a client may send nothing of an upload that is being read. */
const clientStallMs = 15_000;

const uploadingSockets = new WeakSet<Socket>();

/**
 * Whether the connection's request is an upload. Uploads are exempt from Node's `requestTimeout`: an upload is not read
 * before the upstream accepts it, which the client cannot influence.
 */
export const isUploading = (socket: Socket): boolean => uploadingSockets.has(socket);

class UploadStalled extends Error {}

/**
 * Returns the bytes of an upload as a stream that can be destroyed without closing the connection, which the response
 * needs. Fails if the client disconnects, and with `UploadStalled` if it sends nothing although the upstream accepts
 * more.
 */
function readUpload(request: IncomingMessage): Readable {
  const bytes = new PassThrough();
  const timer = setTimeout(() => {
    if (bytes.writableNeedDrain) timer.refresh();
    else bytes.destroy(new UploadStalled());
  }, clientStallMs);
  request.on('data', () => timer.refresh());
  request.once('end', () => clearTimeout(timer));
  bytes.once('close', () => clearTimeout(timer));
  request.once('close', () => {
    if (!request.complete) bytes.destroy(new Error('The client left before the upload was complete.'));
  });
  return request.pipe(bytes);
}
