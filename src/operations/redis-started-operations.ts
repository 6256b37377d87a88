import { hash } from 'node:crypto';
import type { Redis } from 'ioredis';
import { defineScript } from './redis-connections.ts';
import {
  keptMs,
  maxEnded,
  maxOfCaller,
  type StartedOperation,
  type StartedOperations,
} from './started-operations.ts';

// Of all callers together; the oldest are dropped first.
const maxOfAll = 20_000;

// Of each caller a hash of texts, `<handle>` or `<handle> <final handle>`, by names that sort by time; and of all callers a
// sorted set of `<person> <name>`.
const addOperationScript = `
local prefix, caller, name, text = KEYS[1] .. ':', ARGV[1], ARGV[2], ARGV[3]
local at, kept = tonumber(ARGV[4]), tonumber(ARGV[5])
local own, replaced = prefix .. caller, ARGV[9]
if replaced ~= '' then
  redis.call('hdel', own, replaced)
  redis.call('zrem', KEYS[1], caller .. ' ' .. replaced)
end
redis.call('hset', own, name, text)
redis.call('pexpire', own, kept)
redis.call('zadd', KEYS[1], at, caller .. ' ' .. name)
redis.call('pexpire', KEYS[1], kept)
redis.call('zremrangebyscore', KEYS[1], '-inf', at - kept)
local function drop(member)
  local split = string.find(member, ' ', 1, true)
  redis.call('hdel', prefix .. string.sub(member, 1, split - 1), string.sub(member, split + 1))
  redis.call('zrem', KEYS[1], member)
end
local names = redis.call('hkeys', own)
table.sort(names)
for index = 1, #names - ARGV[6] do
  local isFinal = string.find(redis.call('hget', own, names[index]), ' ', 1, true)
  if isFinal or index <= #names - ARGV[7] then drop(caller .. ' ' .. names[index]) end
end
local excess = redis.call('zcard', KEYS[1]) - ARGV[8]
if excess > 0 then
  for _, member in ipairs(redis.call('zrange', KEYS[1], 0, excess - 1)) do drop(member) end
end`;

// An operation that was dropped does not come back.
const setFinalScript = `
if redis.call('hexists', KEYS[1], ARGV[1]) == 1 then redis.call('hset', KEYS[1], ARGV[1], ARGV[2]) end`;

// The braces keep all of it on one node of a cluster.
const allKey = 'tributary:{operations}';
// Redis may hold anything: other entries are ignored.
const namePattern = /^(\d{15})-[\w-]{22}$/;
const textPattern = /^([\w-]+)(?: ([\w-]+))?$/;

/** What replicas share. Nothing rejects: while Redis does not respond, nothing is stored, and lists are empty. */
export function createRedisStartedOperations(redis: Redis): StartedOperations {
  const addStarted = defineScript<[all: string, ...(string | number)[]], null>(
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
  const keyOf = (person: string) => `${allKey}:${person}`;
  const nameOf = ({ handle, startedAt }: StartedOperation) =>
    `${String(startedAt).padStart(15, '0')}-${hash('sha256', handle, 'base64url').slice(0, 22)}`;
  const textOf = ({ handle, finalHandle }: StartedOperation) =>
    finalHandle === null ? handle : `${handle} ${finalHandle}`;

  return {
    async add(person, operation, replaced) {
      const own = [person, nameOf(operation), textOf(operation), operation.startedAt];
      const limits = [keptMs, maxEnded, maxOfCaller, maxOfAll];
      await addStarted(allKey, ...own, ...limits, replaced ? nameOf(replaced) : '').catch(() => {});
    },

    remove(person, operation) {
      redis
        .multi()
        .hdel(keyOf(person), nameOf(operation))
        .zrem(allKey, `${person} ${nameOf(operation)}`)
        .exec()
        .catch(() => {});
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
