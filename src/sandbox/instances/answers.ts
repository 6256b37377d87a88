import { readCaller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { actOnInstance } from './actions.ts';
import type { Operations } from './operations.ts';
import { codes, readTarget } from './parameters.ts';
import { listInstances, readInstance } from './resource.ts';
import { readOperation } from './status.ts';

/** Answers a request of area B. */
export function answerInstances(call: Call, segments: readonly string[], operations: Operations): Answer {
  const status = readOperation(call, segments, operations);
  if (status) return status;
  const caller = readCaller(call, codes);
  const { kind, address } = readTarget(call, segments);
  switch (kind) {
    case 'list':
      return listInstances(call, address, operations.instances);
    case 'instance':
      return readInstance(address, operations.instances);
    default:
      return actOnInstance(call, caller, kind, address, operations);
  }
}
