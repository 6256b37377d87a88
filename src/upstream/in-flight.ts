import { UpstreamError } from '../errors.ts';
import type { Access } from './access.ts';
import type { Answer } from './answer.ts';
import type { CallListener } from './call-listener.ts';
import { type Deadline, Ending } from './deadline.ts';
import { Passing } from './passing.ts';
import { createUtilization } from './utilization.ts';

/** Reads on their way, so that whoever asks for the same meanwhile waits for the same answer. */
export interface InFlight {
  /**
   * The answer of a read begun by this principal and not yet answered, else of `begin`, which is given until when
   * anybody waits for it. Rejects with an `UpstreamError` when the asker's own deadline has passed.
   */
  share(access: Access, read: string, begin: (deadline: Deadline) => Promise<Answer>): Promise<Answer>;
  /** Lets nobody join the reads begun so far: something was written, and they may tell the past. */
  detach(): void;
}

/** Nothing is kept beyond its answer, and nothing is shared between principals. */
export function createInFlight(): InFlight {
  let reads = new Passing<Read>();
  const oneByOne = createOneByOne();

  return {
    share({ principal, deadline, listener }, name, begin) {
      const key = `${principal} ${name}`;
      const known = reads.get(key);
      if (known) return counted(listener, known.join(deadline, oneByOne));
      const own = reads;
      const read = new Read(begin, () => {
        if (own.get(key) === read) own.delete(key);
      });
      own.set(key, read);
      return read.join(deadline, atOnce);
    },
    detach() {
      reads = new Passing();
    },
  };
}

/** Who joins waits for the upstream as much as who began: the call is counted for both. */
function counted(listener: CallListener | null, answer: Promise<Answer>): Promise<Answer> {
  if (listener === null) return answer;
  listener.callBegan('business');
  return answer.finally(() => listener.callEnded('business'));
}

/** Hands out an answer when it is its turn. */
type Give = (hand: () => void) => void;

class Read {
  readonly #begin: (deadline: Deadline) => Promise<Answer>;
  readonly #forget: () => void;
  readonly #until = new Ending(() => this.#at);
  #answer: Promise<Answer> | undefined;
  #askers = 0;
  #at = 0;

  constructor(begin: (deadline: Deadline) => Promise<Answer>, forget: () => void) {
    this.#begin = begin;
    this.#forget = forget;
  }

  /** The answer, or the failure of one that comes too late for who asks; null has no end. */
  join(asker: Deadline | null, give: Give): Promise<Answer> {
    this.#askers += 1;
    this.#at = Math.max(this.#at, asker?.at ?? Number.POSITIVE_INFINITY);
    this.#answer ??= this.#begin(this.#until);
    const answer = this.#answer;
    return new Promise((resolve, reject) => {
      const stay = asker?.onOver(() => {
        this.#leave();
        reject(tooLate());
      });
      answer.then(
        (value) => {
          this.#forget();
          give(() => {
            stay?.();
            resolve(value);
          });
        },
        (error) => {
          this.#forget();
          stay?.();
          reject(error);
        },
      );
    });
  }

  #leave(): void {
    this.#askers -= 1;
    if (this.#askers > 0) return;
    // First: whoever comes now is not to wait for a read that is given up.
    this.#forget();
    this.#until.end();
  }
}

const atOnce: Give = (hand) => hand();

const someInTurn = 2;
const busy = 0.7;
const lookEveryMs = 50;

/**
 * Acts one after another, two in each turn of the event loop. All at once, everybody's answer would take as long as the
 * work of all, and so would whatever else has come meanwhile; where there is no time left, that costs more than it gains.
 */
function createOneByOne(): Give {
  const waiting: (() => void)[] = [];
  const utilization = createUtilization(lookEveryMs);
  let isBusy = false;
  const next = () => {
    for (const act of waiting.splice(0, someInTurn)) act();
    if (waiting.length > 0) setImmediate(next);
  };
  return (act) => {
    const used = utilization();
    if (used !== null) isBusy = used > busy;
    if (isBusy && waiting.length === 0) return act();
    waiting.push(act);
    if (waiting.length === 1) setImmediate(next);
  };
}

const tooLate = () =>
  new UpstreamError('UPSTREAM_TIMEOUT', 'The upstream did not answer in time.', {
    upstream: 'business',
    fate: 'unknown',
  });
