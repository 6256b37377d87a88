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
        return asker ? within(answer, asker, leave) : answer;
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

/** The answer, or the failure of one that comes too late for who asks. */
function within(answer: Promise<Answer>, asker: Deadline, leave: () => void): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stay = asker.onOver(() => {
      leave();
      reject(tooLate());
    });
    answer.then(
      (value) => {
        stay();
        resolve(value);
      },
      (error) => {
        stay();
        reject(error);
      },
    );
  });
}

const tooLate = () =>
  new UpstreamError('UPSTREAM_TIMEOUT', 'The upstream did not answer in time.', {
    upstream: 'business',
    fate: 'unknown',
  });
