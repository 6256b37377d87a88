import { Readable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import type { Deadline } from '../runtime/deadline.ts';
import type { BodyFilter } from './call.ts';
import { type ResponseHeaders, readHeaders } from './response.ts';
import {
  type BodyReader,
  createBodyReader,
  createCompressedBodyReader,
  createUnknownBodyReader,
  readContentCoding,
} from './wire/body-readers.ts';
import type { Connection } from './wire/connection-pool.ts';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  /**
   * Null where the body cannot be read: it is not UTF-8, which JSON has to be (RFC 8259, section 8.1), or is in a content
   * coding that was not requested, or is `stream`.
   */
  readonly text: string | null;
  /** The body where it was requested as a stream. Destroying it ends the request. */
  readonly stream: Readable | null;
  /** Whether the header says where the body ends. If not, the end of the connection ended it (RFC 9112, section 6.3). */
  readonly isDelimited: boolean;
}

export interface ReadingOptions {
  /** Whether to resolve with the head of the response, and to read the body as a stream. */
  readonly isStreamed: boolean;
  /** Whether compressed bodies were requested. */
  readonly isCompressionRequested: boolean;
  /** Longest body, in bytes after decompression. */
  readonly maxBytes: number;
  readonly createBodyFilter: (() => BodyFilter) | undefined;
}

/** The deadline expired before the response was complete. */
export class ExchangeExpired extends Error {
  override readonly name = 'ExchangeExpired';
  /** Whether any of the request may have been sent. */
  readonly isSent: boolean;

  constructor(isSent: boolean) {
    super('The deadline expired before the response was complete.');
    this.isSent = isSent;
  }
}

/** The connection broke before a response began. The upstream may have read the request. */
export class ConnectionLost extends Error {
  override readonly name: string = 'ConnectionLost';
  /** Whether the connection had carried a call before: the upstream may have closed it before the request reached it. */
  readonly wasReused: boolean;

  constructor(cause: Error, wasReused: boolean, message = 'The connection broke before a response began.') {
    super(message, { cause });
    this.wasReused = wasReused;
  }
}

/**
 * The connection broke before it had taken the whole request, and there was no response. A server must not act on an
 * incomplete request (RFC 9112, section 8), so even a write may be sent again.
 */
export class RequestCutShort extends ConnectionLost {
  override readonly name = 'RequestCutShort';

  constructor(cause: Error, wasReused: boolean) {
    super(cause, wasReused, 'The connection broke before it had taken the whole request.');
  }
}

/**
 * Sends one request over a connection, reads the response and releases the connection. Rejects with `ExchangeExpired` when
 * the deadline expires, with `ConnectionLost` when the connection breaks before a response, else with the error of undici.
 * The deadline of a stream is for the head of the response. Calls `dispatch` rather than `request()`, which creates a stream
 * and a signal per response.
 */
export function sendRequest(
  connection: Connection,
  request: Dispatcher.DispatchOptions,
  deadline: Deadline,
  reading: ReadingOptions,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    if (deadline.isExpired) {
      connection.release();
      throw new ExchangeExpired(false);
    }
    connection.dispatch(request, new ResponseHandler(connection, deadline, reading, resolve, reject));
  });
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  #connection: Connection | undefined;
  readonly #isReused: boolean;
  readonly #deadline: Deadline;
  readonly #reading: ReadingOptions;
  readonly #resolve: (response: RawResponse) => void;
  readonly #reject: (reason: Error) => void;
  readonly #unsubscribe: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #receivedBytes = 0;
  #headers: ResponseHeaders = {};
  #body: BodyReader | undefined;

  constructor(
    connection: Connection,
    deadline: Deadline,
    reading: ReadingOptions,
    resolve: (response: RawResponse) => void,
    reject: (reason: Error) => void,
  ) {
    this.#connection = connection;
    this.#isReused = connection.isReused;
    this.#deadline = deadline;
    this.#reading = reading;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#unsubscribe = deadline.onExpire(() => this.#abort());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // The deadline expired while the request waited for a connection.
    if (this.#deadline.isExpired) controller.abort(new ExchangeExpired(false));
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    received: ResponseHeaders,
  ): void {
    // Skip 1xx responses.
    if (status < 200) return;
    this.#status = status;
    this.#headers = readHeaders(received);
    this.#body = this.#reading.isStreamed
      ? this.#startStream(controller)
      : this.#createBodyReader(controller, this.#headers);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#receivedBytes += chunk.length;
    if (this.#receivedBytes > this.#reading.maxBytes)
      controller.abort(new errors.ResponseExceededMaxSizeError());
    else this.#body?.add(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    try {
      const text = this.#body ? this.#body.end() : '';
      if (text instanceof Promise) void text.then((decoded) => this.#finish(decoded));
      else this.#finish(text);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    this.#release();
    this.#unsubscribe();
    this.#body?.destroy?.(error);
    this.#reject(this.#toReason(error));
  }

  #toReason(error: NodeJS.ErrnoException): Error {
    if (this.#status !== 0) return error;
    if (error.syscall === 'write') return new RequestCutShort(error, this.#isReused);
    const isLost = this.#controller !== undefined && lostConnectionCodes.has(error.code);
    return isLost ? new ConnectionLost(error, this.#isReused) : error;
  }

  #createBodyReader(controller: Dispatcher.DispatchController, headers: ResponseHeaders): BodyReader {
    const { isCompressionRequested, maxBytes, createBodyFilter } = this.#reading;
    const coding = readContentCoding(headers, isCompressionRequested);
    if (coding === null) return createBodyReader(Number(headers['content-length']), createBodyFilter);
    if (coding === undefined) return createUnknownBodyReader();
    return createCompressedBodyReader(coding, maxBytes, createBodyFilter, {
      pause: () => controller.pause(),
      resume: () => controller.resume(),
      fail: (error) => this.#fail(error),
    });
  }

  // Nothing else is resolved or rejected after the head of the response.
  #startStream(controller: Dispatcher.DispatchController): BodyReader {
    const stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        if (this.#connection) controller.abort(error ?? new Error('The response is no longer needed.'));
        done(error);
      },
    });
    this.#finish(null, stream);
    return {
      add: (chunk) => {
        if (!stream.push(chunk)) controller.pause();
      },
      end() {
        stream.push(null);
        return null;
      },
      destroy: (error) => stream.destroy(error),
    };
  }

  #finish(text: string | null, stream: Readable | null = null): void {
    this.#unsubscribe();
    const headers = this.#headers;
    this.#resolve({
      status: this.#status,
      headers,
      text,
      stream,
      isDelimited:
        headers['content-length'] !== undefined || chunkedEncoding.test(String(headers['transfer-encoding'])),
    });
  }

  // The status of an error response is worth more than its body, and too long a body is one in any response.
  #fail(error: Error): void {
    const isError = this.#status > 299;
    if (isError && !(error instanceof errors.ResponseExceededMaxSizeError)) this.#finish(null);
    this.#controller?.abort(error);
    this.#reject(error);
    this.#unsubscribe();
  }

  #abort(): void {
    const reason = new ExchangeExpired(this.#controller !== undefined);
    this.#controller?.abort(reason);
    this.#reject(reason);
    this.#release();
    this.#body?.destroy?.();
  }

  #release(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.release();
  }
}

const lostConnectionCodes = new Set<string | undefined>(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const chunkedEncoding = /\bchunked\s*$/i;
