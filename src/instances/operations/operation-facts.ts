import type { Access } from '../../http/auth/access.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { type ActivityLogOptions, createActivityLog } from './activity-log.ts';
import { findLastDuration, type KeptOperation } from './operation-durations.ts';
import type { OperationFacts } from './operation-handle.ts';
import type { StepRecord } from './operation-status.ts';

export interface OperationFactsOptions extends ActivityLogOptions {
  /** Newest first. */
  listKept(): Promise<readonly KeptOperation[]>;
  /** Null where the status cannot be read. */
  read(id: string): Promise<StepRecord | null>;
}

export function createOperationFacts(options: OperationFactsOptions, access: Access): OperationFacts {
  const { announce, waitFor, findStarter } = createActivityLog(options, access);
  const durations = new Map<string, Promise<number | null>>();
  let kept: Promise<readonly KeptOperation[]> | undefined;

  return {
    announce,
    waitFor,
    findStarter,
    findLastDuration: (operation) =>
      getOrCompute(durations, operation.id, async () => {
        kept ??= options.listKept();
        return findLastDuration(operation, await kept, options.read);
      }),
  };
}
