import { LRUCache } from 'lru-cache';
import { canReadPrimary, getDialect } from '../business/dialect.ts';
import type { RecentWrites } from '../business/reading/reads.ts';
import type { Config } from '../config/config.ts';
import type { Bus } from '../operations/bus.ts';

/** Recent writes on this replica and, over the bus, on the others. */
export interface SharedRecentWrites extends RecentWrites {
  leave(): void;
}

// Above this the least recently used are dropped: reads after those writes may go to a read replica of the upstream.
const maxMarks = 50_000;

// A caller key and a company id. Any other message is not of this version, and ignored.
const markKeyPattern = /^[\w-]{43} [\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

const markKeyOf = (callerKey: string, companyId: string) => `${callerKey} ${companyId}`;

/**
 * Each replica counts the window of a write from when it receives the message, by its own clock. A message does not reveal
 * the caller: caller keys are derived with the secret that replicas share.
 */
export async function joinRecentWrites(bus: Bus, config: Config): Promise<SharedRecentWrites> {
  const { BUSINESS_DIALECT, READ_AFTER_WRITE_SECONDS: seconds } = config;
  if (seconds === 0 || !canReadPrimary(getDialect(BUSINESS_DIALECT))) return noRecentWrites;
  // With `max` it would take its whole memory at once.
  const numbers = new LRUCache<string, number>({
    maxSize: maxMarks,
    sizeCalculation: () => 1,
    ttl: seconds * 1_000,
  });
  let marks = 0;
  const mark = (key: string) => {
    marks += 1;
    numbers.set(key, marks);
  };
  const member = await bus.join('writes', (message) => {
    if (markKeyPattern.test(message)) mark(message);
  });
  return {
    mark(callerKey, companyId) {
      const key = markKeyOf(callerKey, companyId);
      mark(key);
      member.publish(key);
    },
    markOf: (callerKey, companyId) =>
      numbers.size === 0 ? 0 : (numbers.get(markKeyOf(callerKey, companyId)) ?? 0),
    marks: () => marks,
    leave: () => member.leave(),
  };
}

const noRecentWrites: SharedRecentWrites = {
  mark() {},
  markOf: () => 0,
  marks: () => 0,
  leave() {},
};
