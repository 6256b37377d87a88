import type { Dispatcher } from 'undici';
import type { Headers } from './answer.ts';
import { createRowCutter, type RowRange } from './cut-rows.ts';
import type { Deadline } from './deadline.ts';

/** What came back for one request. */
export interface Received {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Headers;
  readonly text: string;
}

/** Was not heard to the end because nobody waited any more. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp';
  /** Whether anything of the request can have been sent. */
  readonly isSent: boolean;

  constructor(isSent: boolean) {
    super('Nobody waits for the answer any more.');
    this.isSent = isSent;
  }
}

// Shorter bodies are read and parsed in one go.
const longText = 1024 * 1024;

/**
 * Sends one request and reads its answer, until the deadline is over. Rejects with `GivenUp` then, else with what undici
 * says of the connection. Speaks to the dispatcher itself: `request()` makes a stream and a signal for each answer.
 */
export function exchange(
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  deadline: Deadline,
  rows: RowRange | undefined,
): Promise<Received> {
  return new Promise((resolve, reject) => {
    if (deadline.isOver) throw new GivenUp(false);
    let controller: Dispatcher.DispatchController | undefined;
    let status = 0;
    let headers: Headers = {};
    let body: Body | undefined;
    const stay = deadline.onOver(() => {
      const reason = new GivenUp(controller !== undefined);
      controller?.abort(reason);
      reject(reason);
    });
    dispatcher.dispatch(request, {
      onRequestStart(started) {
        controller = started;
        // It has waited for a connection for too long.
        if (deadline.isOver) controller.abort(new GivenUp(false));
      },
      onResponseStart(_controller, statusCode, received) {
        // One that says to go on comes before the answer.
        if (statusCode < 200) return;
        status = statusCode;
        headers = received;
        body = bodyOf(Number(headers['content-length']), rows);
      },
      onResponseData(_controller, piece) {
        body?.add(piece);
      },
      onResponseEnd() {
        stay();
        resolve({ status, headers, text: body?.end() ?? '' });
      },
      onResponseError(_controller, error) {
        stay();
        reject(error);
      },
    });
  });
}

interface Body {
  add(piece: Buffer): void;
  end(): string;
}

// Of a long body only what is wanted is kept, and decoded as it comes: its bytes and its text together would be
// most of what the process holds.
function bodyOf(length: number, rows: RowRange | undefined): Body {
  return length <= longText ? shortBody() : longBody(rows);
}

const byteOrderMark = '\ufeff';

function shortBody(): Body {
  const pieces: Buffer[] = [];
  return {
    add: (piece) => void pieces.push(piece),
    end() {
      const [first] = pieces;
      const text = (pieces.length === 1 && first ? first : Buffer.concat(pieces)).toString('utf8');
      return text.startsWith(byteOrderMark) ? text.slice(1) : text;
    },
  };
}

function longBody(rows: RowRange | undefined): Body {
  const cut = rows ? createRowCutter(rows) : null;
  const decoder = new TextDecoder();
  let text = '';
  return {
    add(piece) {
      for (const kept of cut?.add(piece) ?? [piece]) text += decoder.decode(kept, { stream: true });
    },
    end() {
      for (const kept of cut?.end() ?? []) text += decoder.decode(kept, { stream: true });
      return text + decoder.decode();
    },
  };
}
