import { isUtf8 } from 'node:buffer';
import type { Dispatcher } from 'undici';
import type { Deadline } from '../runtime/deadline.ts';
import type { BodyFilter } from './call.ts';
import type { ResponseHeaders } from './response.ts';

export interface RawResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  /** Null where the body is not UTF-8, which JSON has to be (RFC 8259, section 8.1). */
  readonly text: string | null;
  /** Whether the header says where the body ends. If not, the end of the connection ended it (RFC 9112, section 6.3). */
  readonly isDelimited: boolean;
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

/**
 * The connection broke before it had taken the whole request, and there was no response. A server must not act on an
 * incomplete request (RFC 9112, section 8), so even a write may be sent again. A connection that breaks after it has taken
 * the whole request proves nothing: the upstream may have read it.
 */
export class RequestCutShort extends Error {
  override readonly name = 'RequestCutShort';

  constructor(cause: Error) {
    super('The connection broke before it had taken the whole request.', { cause });
  }
}

/**
 * Sends one request and reads the response. Rejects with `ExchangeExpired` when the deadline expires, else with the error
 * of undici. Calls `dispatch` rather than `request()`, which creates a stream and a signal per response.
 */
export function sendRequest(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  deadline: Deadline,
  createBodyFilter: (() => BodyFilter) | undefined,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    if (deadline.isExpired) throw new ExchangeExpired(false);
    dispatcher.dispatch(request, new ResponseHandler(deadline, createBodyFilter, resolve, reject));
  });
}

class ResponseHandler implements Dispatcher.DispatchHandler {
  readonly #deadline: Deadline;
  readonly #createBodyFilter: (() => BodyFilter) | undefined;
  readonly #resolve: (response: RawResponse) => void;
  readonly #reject: (reason: Error) => void;
  readonly #unsubscribe: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: ResponseHeaders = {};
  #body: BodyReader | undefined;

  constructor(
    deadline: Deadline,
    createBodyFilter: (() => BodyFilter) | undefined,
    resolve: (response: RawResponse) => void,
    reject: (reason: Error) => void,
  ) {
    this.#deadline = deadline;
    this.#createBodyFilter = createBodyFilter;
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
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: ResponseHeaders,
  ): void {
    // Skip 1xx responses.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const isShort = Number(headers['content-length']) <= maxBufferedBytes;
    this.#body = isShort ? new BufferedBodyReader() : createStreamingBodyReader(this.#createBodyFilter?.());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#body?.add(chunk);
  }

  onResponseEnd(): void {
    this.#unsubscribe();
    const headers = this.#headers;
    this.#resolve({
      status: this.#status,
      headers,
      text: this.#body ? this.#body.end() : '',
      isDelimited:
        headers['content-length'] !== undefined || chunkedEncoding.test(String(headers['transfer-encoding'])),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    this.#unsubscribe();
    this.#reject(error.syscall === 'write' && this.#status === 0 ? new RequestCutShort(error) : error);
  }

  #abort(): void {
    const reason = new ExchangeExpired(this.#controller !== undefined);
    this.#controller?.abort(reason);
    this.#reject(reason);
  }
}

const chunkedEncoding = /\bchunked\s*$/i;

interface BodyReader {
  add(chunk: Buffer): void;
  /** Null where the body is not UTF-8. */
  end(): string | null;
}

// Bodies of at most this length are decoded in one piece.
const maxBufferedBytes = 1024 * 1024;
const byteOrderMark = '\ufeff';

class BufferedBodyReader implements BodyReader {
  readonly #chunks: Buffer[] = [];

  add(chunk: Buffer): void {
    this.#chunks.push(chunk);
  }

  end(): string | null {
    const [first] = this.#chunks;
    const body = this.#chunks.length === 1 && first ? first : Buffer.concat(this.#chunks);
    if (!isUtf8(body)) return null;
    const text = body.toString('utf8');
    return text.startsWith(byteOrderMark) ? text.slice(1) : text;
  }
}

// Filters and decodes each chunk as it arrives: the bytes and the text of a long body together would be most of the heap.
function createStreamingBodyReader(filter: BodyFilter | undefined): BodyReader {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text: string | null = '';
  const decode = (chunks: readonly Buffer[]) => {
    if (text === null) return;
    try {
      for (const chunk of chunks) text += decoder.decode(chunk, { stream: true });
    } catch {
      text = null;
    }
  };
  return {
    add: (chunk) => decode(filter?.add(chunk) ?? [chunk]),
    end() {
      decode(filter?.end() ?? []);
      try {
        return text === null ? null : text + decoder.decode();
      } catch {
        // The body ends within a character, perhaps because it was cut: the replacement character makes it invalid JSON.
        return `${text}\ufffd`;
      }
    },
  };
}
