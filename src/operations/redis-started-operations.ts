import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { defineScript } from './redis-connections.ts';
import {
  maxEnded,
  maxPerCaller,
  retentionMs,
  type StartedOperation,
  type StartedOperations,
} from './started-operations.ts';

// One Redis hash per caller. Fields are named by start time; values are `<handle>` or `<handle> <final handle>`.
const addOperationScript = `
local name, text, kept, replaced = ARGV[1], ARGV[2], ARGV[3], ARGV[6]
if replaced ~= '' then redis.call('hdel', KEYS[1], replaced) end
redis.call('hset', KEYS[1], name, text)
redis.call('pexpire', KEYS[1], kept)
local names = redis.call('hkeys', KEYS[1])
table.sort(names)
for index = 1, #names - ARGV[4] do
  local isFinal = string.find(redis.call('hget', KEYS[1], names[index]), ' ', 1, true)
  if isFinal or index <= #names - ARGV[5] then redis.call('hdel', KEYS[1], names[index]) end
end`;

// Does not restore an operation that was dropped.
const setFinalScript = `
if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then redis.call('hset', KEYS[1], ARGV[1], ARGV[2]) end`;

// Entries of another format are ignored.
const namePattern = /^(\d{15})-[\w-]{22}$/;
const textPattern = /^([\w-]+)(?: ([\w-]+))?$/;

/**
 * Shares operations between replicas. Never rejects: while Redis does not respond, nothing is stored and lists are
 * empty.
 */
export function createRedisStartedOperations(redis: Redis): StartedOperations {
  const addStarted = defineScript<[own: string, ...(string | number)[]], null>(
    redis,
    'addStarted',
    1,
    addOperationScript,
  );
  const setStartedFinal = defineScript<[own: string, name: string, text: string], null>(
    redis,
    'setStartedFinal',
    1,
    setFinalScript,
  );
  const keyOf = (person: string) => `tributary:operations:${person}`;
  const nameOf = ({ handle, startedAt }: StartedOperation) =>
    `${String(startedAt).padStart(15, '0')}-${hash('sha256', handle, 'base64url').slice(0, 22)}`;
  const textOf = ({ handle, finalHandle }: StartedOperation) =>
    finalHandle === null ? handle : `${handle} ${finalHandle}`;

  return {
    async add(person, operation, replaced) {
      const entry = [nameOf(operation), textOf(operation)];
      const limits = [retentionMs, maxEnded, maxPerCaller];
      await addStarted(keyOf(person), ...entry, ...limits, replaced ? nameOf(replaced) : '').catch(() => {});
    },

    remove(person, operation) {
      redis.hdel(keyOf(person), nameOf(operation)).catch(() => {});
    },

    setFinal(person, operation) {
      setStartedFinal(keyOf(person), nameOf(operation), textOf(operation)).catch(() => {});
    },

    async list(person) {
      const texts = await redis.hgetall(keyOf(person)).catch(() => ({}));
      return Object.entries(texts).flatMap(([name, text]): StartedOperation[] => {
        const startedAt = namePattern.exec(name)?.[1];
        const [, handle, finalHandle = null] = textPattern.exec(text) ?? [];
        return startedAt && handle ? [{ handle, startedAt: Number(startedAt), finalHandle }] : [];
      });
    },
  };
}
