import type { Client } from '../server/client.ts';
import type { OperationOutcome } from '../server/observer.ts';
import { createCachedByName, type Instruments } from './instruments.ts';

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

// Names come from callers. Those that are first met in a process get series of their own, the others share one.
const maxClients = 100;
const maxOperations = 500;
const others = 'other';

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

  const createForClient = (client: string, version: string) => ({
    ended: createCachedByName(['OK'], (outcome: OperationOutcome) => byClient({ client, version, outcome })),
    used: createCachedByName([], (coordinate: string) => deprecatedUses({ coordinate, client, version })),
  });
  const createForName = (operation: string) => ({
    ended: createCachedByName(['OK'], (outcome: OperationOutcome) => byName({ operation, outcome })),
    took: seconds({ operation }),
  });
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

/** Returns the value of a name. After the first `max` names, all others have the value of the name `shared`. */
function createBounded<Value>(max: number, shared: string, make: (name: string) => Value) {
  const ofOthers = make(shared);
  const known = new Map([[shared, ofOthers]]);
  return (name: string): Value => {
    const before = known.get(name);
    if (before !== undefined) return before;
    if (known.size > max) return ofOthers;
    const made = make(name);
    known.set(name, made);
    return made;
  };
}
