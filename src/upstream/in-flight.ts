import { UpstreamError } from '../errors.ts';
import type { Access } from './access.ts';
import type { Answer } from './answer.ts';
import { type Deadline, Ending } from './deadline.ts';
import { Passing } from './passing.ts';

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

interface Read {
  /** Takes part, until its deadline; one without has no end. */
  join(deadline: Deadline | null): Promise<Answer>;
}

/** Nothing is kept beyond its answer, and nothing is shared between principals. */
export function createInFlight(): InFlight {
  let reads = new Passing<Read>();
  const oneByOne = createOneByOne();

  const start = (key: string, begin: (deadline: Deadline) => Promise<Answer>): Read => {
    const own = reads;
    let askers = 0;
    let at = 0;
    const deadline = new Ending(() => at);
    const forget = () => {
      if (own.get(key) === read) own.delete(key);
    };
    const leave = () => {
      askers -= 1;
      if (askers > 0) return;
      // First: whoever comes now is not to wait for a read that is given up.
      forget();
      deadline.end();
    };
    const read: Read = {
      join(asker) {
        const isFirst = answer === undefined;
        askers += 1;
        at = Math.max(at, asker?.at ?? Number.POSITIVE_INFINITY);
        answer ??= begin(deadline).then(
          (value) => {
            forget();
            return value;
          },
          (error) => {
            forget();
            throw error;
          },
        );
        return asker ? within(answer, asker, leave, isFirst ? atOnce : oneByOne) : answer;
      },
    };
    let answer: Promise<Answer> | undefined;
    own.set(key, read);
    return read;
  };

  return {
    share(access, name, begin) {
      const key = `${access.principal} ${name}`;
      return (reads.get(key) ?? start(key, begin)).join(access.deadline);
    },
    detach() {
      reads = new Passing();
    },
  };
}

/** The answer, or the failure of one that comes too late for who asks. `give` hands out the answer when it is his turn. */
function within(
  answer: Promise<Answer>,
  asker: Deadline,
  leave: () => void,
  give: (hand: () => void) => void,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stay = asker.onOver(() => {
      leave();
      reject(tooLate());
    });
    answer.then(
      (value) =>
        give(() => {
          stay();
          resolve(value);
        }),
      (error) => {
        stay();
        reject(error);
      },
    );
  });
}

const atOnce = (act: () => void): void => act();

const someInTurn = 2;
const busy = 0.7;
const lookEveryMs = 50;

/**
 * Acts one after another, two in each turn of the event loop. All at once, everybody's answer would take as long as the
 * work of all, and so would whatever else has come meanwhile; where there is no time left, that costs more than it gains.
 */
function createOneByOne(): (act: () => void) => void {
  const waiting: (() => void)[] = [];
  let lookedAt = performance.now();
  let before = performance.eventLoopUtilization();
  let isBusy = false;
  const look = () => {
    const now = performance.now();
    if (now - lookedAt < lookEveryMs) return;
    lookedAt = now;
    const used = performance.eventLoopUtilization();
    isBusy = performance.eventLoopUtilization(used, before).utilization > busy;
    before = used;
  };
  const next = () => {
    for (const act of waiting.splice(0, someInTurn)) act();
    if (waiting.length > 0) setImmediate(next);
  };
  return (act) => {
    look();
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
