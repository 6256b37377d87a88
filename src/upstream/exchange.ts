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
    dispatcher.dispatch(request, new Exchange(deadline, rows, resolve, reject));
  });
}

class Exchange implements Dispatcher.DispatchHandler {
  readonly #deadline: Deadline;
  readonly #rows: RowRange | undefined;
  readonly #resolve: (received: Received) => void;
  readonly #reject: (reason: Error) => void;
  readonly #stay: () => void;
  #controller: Dispatcher.DispatchController | undefined;
  #status = 0;
  #headers: Headers = {};
  #body: Body | undefined;

  constructor(
    deadline: Deadline,
    rows: RowRange | undefined,
    resolve: (received: Received) => void,
    reject: (reason: Error) => void,
  ) {
    this.#deadline = deadline;
    this.#rows = rows;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#stay = deadline.onOver(() => this.#giveUp());
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // It has waited for a connection for too long.
    if (this.#deadline.isOver) controller.abort(new GivenUp(false));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: Headers): void {
    // One that says to go on comes before the answer.
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
    const isShort = Number(headers['content-length']) <= longText;
    this.#body = isShort ? new ShortBody() : longBody(this.#rows);
  }

  onResponseData(_controller: Dispatcher.DispatchController, piece: Buffer): void {
    this.#body?.add(piece);
  }

  onResponseEnd(): void {
    this.#stay();
    this.#resolve({ status: this.#status, headers: this.#headers, text: this.#body?.end() ?? '' });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#stay();
    this.#reject(error);
  }

  #giveUp(): void {
    const reason = new GivenUp(this.#controller !== undefined);
    this.#controller?.abort(reason);
    this.#reject(reason);
  }
}

interface Body {
  add(piece: Buffer): void;
  end(): string;
}

const byteOrderMark = '\ufeff';

class ShortBody implements Body {
  readonly #pieces: Buffer[] = [];

  add(piece: Buffer): void {
    this.#pieces.push(piece);
  }

  end(): string {
    const [first] = this.#pieces;
    const all = this.#pieces.length === 1 && first ? first : Buffer.concat(this.#pieces);
    const text = all.toString('utf8');
    return text.startsWith(byteOrderMark) ? text.slice(1) : text;
  }
}

// Only what is wanted is kept, and decoded as it comes: its bytes and its text together would be most of what the
// process holds.
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
