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

/** The head of an upstream's response to a request for a file, and its bytes. */
export interface OpenedFile {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Destroying it ends the upstream's call. */
  readonly body: Readable;
  /** The name to save it under. */
  readonly name: string;
}

export interface FileRequest {
  /** The part of the URL that says which file it is. Nothing in it has been checked. */
  readonly sealed: string;
  readonly caller: Caller;
  /** Headers to send upstream. */
  readonly headers: Readonly<Record<string, string>>;
  /** The bytes that are to replace the file; null to read it. */
  readonly body: Readable | null;
  /** Expires when the client disconnects: then a read ends. */
  readonly until: Deadline;
}

/** Opens a file. Throws `InputError` where the caller may not use the address, else `UpstreamError`. */
export type OpenFile = (request: FileRequest) => Promise<OpenedFile>;

export interface FilesOptions {
  readonly admission: Admission;
  readonly callers: CallerReader;
  readonly isAllowedOrigin: (headers: IncomingHttpHeaders) => boolean;
  readonly maxUploadBytes: number;
  /** Files that are being sent. */
  readonly streams: ConnectionLimiter;
  readonly open: OpenFile;
}

// A PUT replaces the whole file, so it has a length, but no range.
const headersOfReads = ['range', 'if-range', 'if-none-match', 'if-modified-since'] as const;

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
  const obstacle = isUpload && headersNoUploadTakes.find((header) => headers[header] !== undefined);
  if (obstacle)
    return refuse(
      400,
      `An upload takes no \`${obstacle}\`. Send the whole file as it is, and its tag as \`if-match\`.`,
      'BAD_USER_INPUT',
    );
  if (isUpload && !Number.isInteger(length))
    return refuse(411, 'An upload needs a `content-length`.', 'BAD_USER_INPUT');
  if (isUpload && length > maxUploadBytes)
    return refuse(413, `A file has at most ${maxUploadBytes} bytes.`, 'BAD_USER_INPUT');
  if (isUpload) {
    const { socket } = raw;
    setUploading(socket, true);
    onResponseClosed(reply.raw, () => setUploading(socket, false));
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
      headers: isUpload ? uploadHeaders(headers, length) : readHeaders(headers),
      body,
      until,
    });
    if (isUpload) return sendReplaced(reply, opened);
    const release = streams.acquireBoth('eventStreams', caller);
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
    const { status, message, code, retryAfterSeconds, claims = null } = describe(error, isUpload);
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
  // Fastify would answer 500 to an error before the first byte, and log it; here the connection is cut instead.
  reply.hijack();
  const { raw } = reply;
  // Its reader may be slow: from here on it counts as an open file, not as a request.
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

// An upload replaces the whole file, by its tag. Each of these would be ignored.
const headersNoUploadTakes = [
  'content-range',
  'content-encoding',
  'if-none-match',
  'if-modified-since',
  'if-unmodified-since',
];

/** Several ranges would be answered as one body of parts: all of the file is sent in their place (RFC 9110 §14.2). */
function readHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const { range, 'if-range': _ifRange, ...others } = pick(headers, headersOfReads);
  return range?.includes(',') ? others : pick(headers, headersOfReads);
}

const uploadHeaders = (headers: IncomingHttpHeaders, length: number) => ({
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

function describe(error: unknown, isUpload: boolean) {
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

// Types that a browser shows without running anything in them. Any other file is only saved.
const shownTypes = new Set([
  'application/pdf',
  'image/bmp',
  'image/gif',
  'image/jpeg',
  'image/png',
  'image/webp',
]);

const passedOn: Readonly<Record<string, RegExp>> = {
  'content-length': /^\d{1,15}$/,
  'content-range': /^bytes (?:\d{1,15}-\d{1,15}|\*)\/(?:\d{1,15}|\*)$/,
  'accept-ranges': /^(?:bytes|none)$/,
  etag: /^(?:W\/)?"[\x21\x23-\x7e]{0,1000}"$/,
  'last-modified': /^[A-Za-z0-9, :]{1,40}$/,
};

/**
 * The headers of a response with an upstream's file. Of the upstream's own, only those about the bytes are passed on, and
 * only if they are well-formed. Whatever the file is, it can run nothing in the origin of the graph.
 */
function fileResponseHeaders(headers: IncomingHttpHeaders, name: string): Record<string, string> {
  const type =
    String(headers['content-type'] ?? '')
      .split(';', 1)[0]
      ?.trim()
      .toLowerCase() ?? '';
  const isShown = shownTypes.has(type);
  const known = Object.entries(passedOn).flatMap(([header, pattern]) => {
    const value = headers[header];
    return typeof value === 'string' && pattern.test(value) ? [[header, value]] : [];
  });
  return {
    ...Object.fromEntries(known),
    'content-type': isShown ? type : 'application/octet-stream',
    'content-disposition': `${isShown ? 'inline' : 'attachment'}; ${fileNameParameters(name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
    // Only this client may store the file, and revalidates it at each use.
    'cache-control': 'private, no-cache',
    vary: 'Authorization',
  };
}

/** RFC 6266: a name of plain characters, and the whole one percent-encoded (RFC 8187). */
function fileNameParameters(name: string): string {
  const plain = name.replace(/[^\w.-]/g, '_');
  const encoded = encodeURIComponent(Buffer.from(name).toString()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `filename="${plain}"; filename*=UTF-8''${encoded}`;
}

/** How long a client may send nothing of an upload that is being read. */
const clientStallMs = 15_000;

/** Connections whose request is an upload. */
const uploading = new WeakSet<Socket>();

/**
 * Exempts the request of a connection from Node's limit on the time that a request takes to arrive: an upload is not read
 * before the upstream takes it, and that wait is not the client's. Call it again with false once it is answered.
 */
function setUploading(socket: Socket, isUploading: boolean): void {
  if (isUploading) uploading.add(socket);
  else uploading.delete(socket);
}

export const isUploading = (socket: Socket): boolean => uploading.has(socket);

/** The client sent nothing for too long. */
class UploadStalled extends Error {}

/**
 * The bytes of an upload, as a stream that can be destroyed without the connection, which the response still needs. Fails
 * when the client leaves, and with `UploadStalled` when it sends nothing although the upstream would take more.
 */
function readUpload(request: IncomingMessage, stallMs = clientStallMs): Readable {
  const bytes = new PassThrough();
  const timer = setTimeout(() => {
    if (bytes.writableNeedDrain) timer.refresh();
    else bytes.destroy(new UploadStalled());
  }, stallMs);
  request.on('data', () => timer.refresh());
  request.once('end', () => clearTimeout(timer));
  bytes.once('close', () => clearTimeout(timer));
  request.once('close', () => {
    if (!request.complete) bytes.destroy(new Error('The client left before the upload was complete.'));
  });
  return request.pipe(bytes);
}
