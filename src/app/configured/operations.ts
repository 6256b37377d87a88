import type { Config } from '../../config/config.ts';
import { createSubscriptionLimits } from '../../instances/actions/action-many.ts';
import type { InstanceControlOptions } from '../../instances/instance-control.ts';
import { createOperationHandles } from '../../instances/operations/operation-handle.ts';
import { parseSharedStep } from '../../instances/operations/operation-status.ts';
import type { Bus } from '../../operations/bus.ts';
import type { RedisConnections } from '../../operations/redis-connections.ts';
import { createRedisStartedOperations } from '../../operations/redis-started-operations.ts';
import { createStartedOperations } from '../../operations/started-operations.ts';
import { createTracker } from '../../operations/tracker.ts';

/** What follows the operations of area B, with the settings; shared by replicas where there is Redis. */
export const createConfiguredOperations = (
  { OPERATION_POLL_MS: pollMs, WRITE_TIMEOUT_MS: writeTimeoutMs }: Config,
  secrets: readonly string[],
  redis: RedisConnections | null,
  bus: Bus,
): Pick<
  InstanceControlOptions,
  'handles' | 'tracker' | 'started' | 'inFlight' | 'subscriptionLimits' | 'writeTimeoutMs'
> => ({
  handles: createOperationHandles(secrets),
  tracker: createTracker({ pollMs, bus, parseState: parseSharedStep }),
  started: createStartedOperations(redis && createRedisStartedOperations(redis.commands)),
  inFlight: new Map(),
  subscriptionLimits: createSubscriptionLimits(),
  writeTimeoutMs,
});
