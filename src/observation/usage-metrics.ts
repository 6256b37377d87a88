import type { Client } from '../server/client.ts';
import type { OperationOutcome } from '../server/observer.ts';
import { type Counter, createCachedByName, type Instruments } from './instruments.ts';

/** An operation that has ended, and who sent it. */
export interface Use {
  readonly client: Client | null;
  /** The operation's name. */
  readonly name: string | undefined;
  readonly outcome: OperationOutcome;
  readonly ms: number;
  /** Schema coordinates. */
  readonly deprecated: readonly string[];
}

/** Who uses what: operations by client and by name, and what is deprecated by client. */
export interface UsageMetrics {
  recordUse(use: Use): void;
}

// Names come from callers. So many get series of their own, first come, first served; the others share one until a name has
// been idle for an hour and makes room.
const maxClients = 100;
const maxOperations = 500;
const others = 'other';
const idleMs = 3_600_000;
const checkIntervalMs = 60_000;

export function createUsageMetrics({ counter }: Instruments): UsageMetrics {
  const byClient = counter<'client' | 'version' | 'outcome'>(
    'tributary_client_operations_total',
    'Operations executed, by the client that names itself in `apollographql-client-name` and `-version`.',
  );
  const byName = counter<'operation' | 'outcome'>(
    'tributary_named_operations_total',
    'Operations executed, by their name in the document.',
  );
  const seconds = counter<'operation'>(
    'tributary_named_operation_seconds_total',
    'Sum of the durations of operations, by their name in the document.',
  );
  const deprecatedUses = counter<'coordinate' | 'client' | 'version'>(
    'tributary_deprecated_uses_total',
    'Operations executed that name a deprecated field, argument or enum value, by client.',
  );

  const createForClient = (client: string, version: string) => {
    const { keep, remove } = createSeries();
    return {
      ended: createCachedByName(['OK'], (outcome: OperationOutcome) =>
        keep(byClient({ client, version, outcome })),
      ),
      used: createCachedByName([], (coordinate: string) =>
        keep(deprecatedUses({ coordinate, client, version })),
      ),
      remove,
    };
  };
  const createForName = (operation: string) => {
    const { keep, remove } = createSeries();
    return {
      ended: createCachedByName(['OK'], (outcome: OperationOutcome) => keep(byName({ operation, outcome }))),
      took: keep(seconds({ operation })),
      remove,
    };
  };
  const clients = createBounded(maxClients, `${others}\n`, (key) => {
    const [client = '', version = ''] = key.split('\n');
    return createForClient(client, version);
  });
  const operations = createBounded(maxOperations, others, createForName);

  return {
    recordUse({ client, name, outcome, ms, deprecated }) {
      const ofClient = clients(client ? `${client.name}\n${client.version ?? ''}` : '\n');
      ofClient.ended(outcome)();
      for (const coordinate of deprecated) ofClient.used(coordinate)();
      if (name === undefined) return;
      const ofName = operations(name);
      ofName.ended(outcome)();
      ofName.took(ms / 1_000);
    },
  };
}

/** The series of one name. */
function createSeries() {
  const kept: Counter[] = [];
  return {
    keep(counter: Counter): Counter {
      kept.push(counter);
      return counter;
    },
    remove() {
      for (const counter of kept) counter.remove();
    },
  };
}

/**
 * Returns the value of a name. While `max` names have one, all others have the value of the name `shared`; names that were
 * not used for an hour are then removed.
 */
function createBounded<Value extends { remove(): void }>(
  max: number,
  shared: string,
  make: (name: string) => Value,
) {
  const ofOthers = make(shared);
  const known = new Map<string, { readonly value: Value; usedAt: number }>();
  let checkedAt = Number.NEGATIVE_INFINITY;
  const removeIdle = (now: number) => {
    if (now - checkedAt < checkIntervalMs) return;
    checkedAt = now;
    for (const [name, { value, usedAt }] of known) {
      if (now - usedAt < idleMs) continue;
      value.remove();
      known.delete(name);
    }
  };
  return (name: string): Value => {
    if (name === shared) return ofOthers;
    const now = performance.now();
    const before = known.get(name);
    if (before) {
      before.usedAt = now;
      return before.value;
    }
    if (known.size >= max) removeIdle(now);
    if (known.size >= max) return ofOthers;
    const value = make(name);
    known.set(name, { value, usedAt: now });
    return value;
  };
}
