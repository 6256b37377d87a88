import type { BusinessData } from './business/business.ts';
import { dialectOf } from './business/dialect.ts';
import { createHiddenRecords } from './business/hidden-records.ts';
import { createPageTokens } from './business/query/page-tokens.ts';
import type { Store } from './business/store.ts';
import type { ClientIdPolicies } from './business/writes/client-ids.ts';
import { resolveClientIdPolicies } from './business/writes/client-ids.ts';
import type { EventStore } from './health/events.ts';
import { createEventStore } from './health/events.ts';
import type { Operations } from './instances/operations.ts';
import { createOperations } from './instances/operations.ts';
import type { SandboxOptions } from './options.ts';
import { createSeededStore } from './seed/seed.ts';

/** What a reset replaces. */
export interface SandboxState extends BusinessData {
  replica: Store | undefined;
  clientIds: ClientIdPolicies;
  readonly operations: Operations;
  readonly events: EventStore;
}

/** The state of the start. */
export function createState(options: SandboxOptions): SandboxState {
  const { stepMs = 1000, dialect = 'document', itemV1 = true, records = {}, chosenIds } = options;
  return {
    store: createSeededStore(records),
    replica: undefined,
    hiddenRecords: createHiddenRecords(),
    pages: createPageTokens(),
    dialect: dialectOf(dialect),
    clientIds: resolveClientIdPolicies(chosenIds, dialect),
    hasItemV1: itemV1,
    operations: createOperations(stepMs),
    events: createEventStore(Date.now()),
  };
}
