import { Readable } from 'node:stream';
import { type Dispatcher, errors } from 'undici';
import type { Deadline } from '../runtime/deadline.ts';
import { type ResponseHeaders, readHeaders } from './response.ts';
import { BodyReader } from './wire/body-reader.ts';
import type { Connection } from './wire/connection-pool.ts';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  /**
   * The body. Null if it is a stream, is not UTF-8, as JSON must be (RFC 8259, section 8.1), or has a content coding
   * that was not requested.
   */
  readonly text: string | null;
  /** The body if it was requested as a stream; null otherwise. Destroying it ends the request. */
  readonly stream: Readable | null;
  /** Whether the headers tell the body's length. If not, it ended with the connection (RFC 9112, section 6.3). */
  readonly isDelimited: boolean;
}

export interface ReadingOptions {
  /** The longest body, in bytes after decompression. */
  readonly maxBytes: number;
  /** Whether to resolve with the head of the response and provide the body, of any length, as a stream. */
  readonly isStreamed: boolean;
}

/** The deadline expired before the response was complete. */
export class ExchangeExpired extends Error {
  override readonly name = 'ExchangeExpired';
  /** Whether any part of the request may have been sent. */
  readonly isSent: boolean;

  constructor(isSent: boolean) {
    super('The deadline expired before the response was complete.');
    this.isSent = isSent;
  }
}

/** The connection broke before a response began. The upstream may have read the request. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
  /** Whether the connection had carried a call before: the upstream may have closed it before the request reached it. */
  readonly wasReused: boolean;

  constructor(cause: Error, wasReused: boolean) {
    super('The connection broke before a response began.', { cause });
    this.wasReused = wasReused;
  }
}

/**
 * Sends one request over a connection, reads the response and releases the connection. Rejects with `ExchangeExpired`
 * if the deadline expires, with `ConnectionLost` if the connection breaks before a response, otherwise with undici's
 * error. With a stream, the deadline applies to the head of the response. Uses `dispatch` because `request()` creates a
 * stream and a signal per response.
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
  #headers: ResponseHeaders = {};
  #body: BodyReader | undefined;
  #stream: Readable | undefined;

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
    if (this.#reading.isStreamed) this.#startStream(controller);
    else this.#body = new BodyReader(this.#headers, this.#reading.maxBytes);
  }

  // An error that this method throws makes undici abort the request.
  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.add(chunk);
    if (this.#stream?.push(chunk) === false) controller.pause();
  }

  onResponseEnd(): void {
    this.#release();
    this.#stream?.push(null);
    try {
      const text = this.#body ? this.#body.end() : '';
      if (typeof text === 'object' && text !== null)
        text.then(
          (decoded) => this.#finish(decoded),
          (error: Error) => this.#fail(error),
        );
      else this.#finish(text);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    this.#release();
    this.#unsubscribe();
    this.#stream?.destroy(error);
    this.#reject(this.#toReason(error));
  }

  #toReason(error: NodeJS.ErrnoException): Error {
    if (this.#status !== 0) return error;
    const isLost = this.#controller !== undefined && lostConnectionCodes.has(error.code);
    return isLost ? new ConnectionLost(error, this.#isReused) : error;
  }

  /** Resolves the promise with the head of the response. */
  #startStream(controller: Dispatcher.DispatchController): void {
    this.#stream = new Readable({
      read: () => controller.resume(),
      destroy: (error, done) => {
        if (this.#connection) controller.abort(error ?? new Error('The response is no longer needed.'));
        done(error);
      },
    });
    this.#finish(null);
  }

  #finish(text: string | null): void {
    this.#unsubscribe();
    const headers = this.#headers;
    this.#resolve({
      status: this.#status,
      headers,
      text,
      stream: this.#stream ?? null,
      isDelimited:
        headers['content-length'] !== undefined || chunkedEncoding.test(String(headers['transfer-encoding'])),
    });
  }

  // An error response is returned even if its body cannot be read, except if the body is too long.
  #fail(error: Error): void {
    if (this.#status > 299 && !(error instanceof errors.ResponseExceededMaxSizeError)) this.#finish(null);
    this.#reject(error);
    this.#unsubscribe();
  }

  #abort(): void {
    const reason = new ExchangeExpired(this.#controller !== undefined);
    this.#controller?.abort(reason);
    this.#reject(reason);
    this.#release();
  }

  #release(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.release();
  }
}

const lostConnectionCodes = new Set<string | undefined>(['UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
const chunkedEncoding = /\bchunked\s*$/i;
