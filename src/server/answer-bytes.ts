import type { ByteAccount } from '../graph/answer-meter.ts';
import type { Caller } from './caller.ts';
import { callerKeyOf } from './caller-key.ts';

/** Counts the bytes of all answers on their way: from when they are made until their clients have taken them. */
export interface AnswerBytes {
  /** What is counted for one answer of a caller. */
  account(caller: Caller): ByteAccount;
  /** How many there are. */
  underWay(): number;
}

export interface AnswerBytesOptions {
  /** How many there may be in the process, and of one caller. */
  readonly most: number;
  readonly mostOfCaller: number;
}

const mostInProcess = 128 * 1024 * 1024;
export const answerBytesBounds: AnswerBytesOptions = { most: mostInProcess, mostOfCaller: mostInProcess / 4 };

export function createAnswerBytes({ most, mostOfCaller }: AnswerBytesOptions): AnswerBytes {
  const ofCallers = new Map<string, number>();
  let all = 0;

  const add = (key: string, bytes: number) => {
    all += bytes;
    const ofCaller = (ofCallers.get(key) ?? 0) + bytes;
    if (ofCaller === 0) ofCallers.delete(key);
    else ofCallers.set(key, ofCaller);
  };

  return {
    account(caller) {
      let key: string | null = null;
      let taken = 0;
      return {
        take(bytes) {
          key ??= callerKeyOf(caller);
          if (all + bytes > most || (ofCallers.get(key) ?? 0) + bytes > mostOfCaller) return false;
          add(key, bytes);
          taken += bytes;
          return true;
        },
        release() {
          if (key !== null && taken > 0) add(key, -taken);
          taken = 0;
        },
      };
    },
    underWay: () => all,
  };
}
