import { Readable } from 'node:stream';
import type { Dispatcher } from 'undici';
import type { Deadline } from '../runtime/deadline.ts';
import { ExchangeExpired } from './exchange.ts';
import { type ResponseHeaders, readHeaders } from './response.ts';
import type { Connection } from './wire/connection-pool.ts';

/** A response whose body is read while it arrives. Destroying the body ends the request. */
export interface StreamedResponse {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: ResponseHeaders;
  readonly body: Readable;
}

/**
 * Sends one request over a connection, and resolves when the head of the response has arrived. `deadline` is for the head:
 * rejects with `ExchangeExpired`, or with the error of undici. The connection is released when the body has ended, or was
 * destroyed.
 */
export function openStream(
  connection: Connection,
  request: Dispatcher.DispatchOptions,
  deadline: Deadline,
): Promise<StreamedResponse> {
  return new Promise((resolve, reject) => {
    if (deadline.isExpired) {
      connection.release();
      throw new ExchangeExpired(false);
    }
    connection.dispatch(request, createHandler(connection, deadline, resolve, reject));
  });
}

type ResponseHead = Pick<StreamedResponse, 'status' | 'headers'>;

/** Why a success is no answer to the request that was sent, which a reader of the file could not tell; null where it is one. */
export function findStreamMistake(
  method: string,
  asked: Readonly<Record<string, string>>,
  head: ResponseHead,
): string | null {
  return method === 'GET' ? findReadMistake(asked, head) : findUploadMistake(head);
}

// A page to sign in at, or an error with a success status, is an answer of something else than the upstream.
function findUploadMistake({ status, headers }: ResponseHead): string | null {
  if (status > 299 || status === 204) return null;
  const isEmpty = headers['content-length'] === '0';
  return isEmpty && (status === 200 || status === 201) ? null : 'The upstream did not confirm an upload.';
}

function findReadMistake(
  asked: Readonly<Record<string, string>>,
  { status, headers }: ResponseHead,
): string | null {
  // 204: the record has no file.
  if (status > 200 && status < 300 && status !== 204 && status !== 206)
    return `The upstream responded with status ${status} in place of a file.`;
  const coding = headers['content-encoding'] ?? 'identity';
  if (coding !== 'identity') return 'The upstream compressed a file that was asked for as it is.';
  if (status === 206 && asked.range === undefined)
    return 'The upstream responded with a part of a file that was asked for as a whole.';
  if (status === 206 && !isPart(headers))
    return 'The upstream responded with a part of a file, without saying which.';
  const isConditional = asked['if-none-match'] !== undefined || asked['if-modified-since'] !== undefined;
  if (status === 304 && !isConditional)
    return 'The upstream responded that a file has not changed, without having been asked.';
  return null;
}

/** Whether a response says which part of a file it has, and is as long as that. */
function isPart({ 'content-range': range, 'content-length': length }: ResponseHeaders): boolean {
  const [, first, last] = /^bytes (\d{1,15})-(\d{1,15})\/(?:\d{1,15}|\*)$/.exec(String(range)) ?? [];
  const bytes = Number(last) - Number(first) + 1;
  return bytes > 0 && (length === undefined || Number(length) === bytes);
}

function createHandler(
  connection: Connection,
  deadline: Deadline,
  resolve: (response: StreamedResponse) => void,
  reject: (reason: Error) => void,
): Dispatcher.DispatchHandler {
  let controller: Dispatcher.DispatchController | undefined;
  let body: Readable | undefined;
  let isEnded = false;
  const end = () => {
    unsubscribe();
    if (!isEnded) connection.release();
    isEnded = true;
  };
  const abort = (reason: Error) => {
    controller?.abort(reason);
    end();
  };
  const unsubscribe = deadline.onExpire(() => {
    const reason = new ExchangeExpired(controller !== undefined);
    abort(reason);
    reject(reason);
  });

  return {
    onRequestStart(started) {
      controller = started;
      if (deadline.isExpired) started.abort(new ExchangeExpired(false));
    },
    onResponseStart(started, status, received) {
      // Skip 1xx responses.
      if (status < 200) return;
      unsubscribe();
      body = new Readable({
        read: () => started.resume(),
        destroy(error, done) {
          if (!isEnded) abort(error ?? new Error('The response is no longer needed.'));
          done(error);
        },
      });
      resolve({ status, headers: readHeaders(received), body });
    },
    onResponseData(started, chunk) {
      if (body && !body.push(chunk)) started.pause();
    },
    onResponseEnd() {
      end();
      body?.push(null);
    },
    onResponseError(_started, error) {
      end();
      if (body) body.destroy(error);
      else reject(error);
    },
  };
}

/** The first bytes of a body as text; an error while they are read ends it. */
export async function readStart(body: Readable, maxBytes: number): Promise<string> {
  let text = '';
  try {
    for await (const chunk of body) {
      text += chunk;
      if (text.length > maxBytes) break;
    }
  } catch {
    // The status is worth more than the body.
  }
  return text;
}
