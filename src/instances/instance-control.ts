import type { Selection } from '../graph/selection.ts';
import type { Tracker } from '../operations/tracker.ts';
import type { Deadline } from '../runtime/deadline.ts';
import type { SubscriptionLimits } from './actions/action-many.ts';
import type { ActionRequest } from './actions/action-request.ts';
import type { ActionResult, ActionSenderOptions } from './actions/action-sender.ts';
import type { VirtualInstanceAddress } from './instance-address.ts';
import type { OperationRecord } from './operations/operation-handle.ts';
import type { OperationFilter } from './operations/operation-list.ts';
import type { ResourceReads, ResourceReadsOptions } from './resources/resource-reads.ts';
import type { VirtualInstanceRecord } from './resources/virtual-instance-record.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly instances: InstanceControl;
  }
}

/** Where in the response a resolver's result stands. */
type SelectedPlace = Parameters<Selection['at']>[0];

/** What the resolvers of area B work with: one for each GraphQL operation, with the caller's credentials. */
export interface InstanceControl extends ResourceReads {
  /**
   * Sends a stop or a start, once; where an equal one of this caller has not ended, returns its operation instead, after one
   * upstream call. Throws `UpstreamError` for a failure on which the caller cannot act. `readField` names in messages what
   * reads the instance. Nothing is sent after `waitDeadline`.
   */
  sendAction(request: ActionRequest, readField: string, waitDeadline?: Deadline): Promise<ActionResult>;
  /** The virtual instance now, or null where there is none; only its names where only these and its lists are selected. */
  readVirtualInstance(
    address: VirtualInstanceAddress,
    info: SelectedPlace,
  ): Promise<VirtualInstanceRecord | null>;
  /** Bounds the requests of this caller that are under way for a subscription. */
  limitOf(subscriptionId: string): ReturnType<SubscriptionLimits['of']>;
  /** How long a mutation of several may go on to send actions. */
  readonly writeTimeoutMs: number;
  /** The operation now. One upstream call, more where it has moved, none where its handle holds the final state. */
  readOperation(handle: string): Promise<OperationRecord>;
  /**
   * The operations that this caller has started, newest first, as far as they are kept. One upstream call, five at a time,
   * for each that is not known to have finished, where its state is selected or filtered by. One that cannot be read
   * rejects by itself; one that the upstream no longer has is UNKNOWN.
   */
  listOperations(
    filter: OperationFilter | null | undefined,
    info: SelectedPlace,
  ): Promise<readonly (OperationRecord | Promise<OperationRecord>)[]>;
  /** The operation now, then every change, until it has finished. */
  watchOperation(handle: string): Promise<AsyncIterableIterator<OperationRecord>>;
  /** The same of several operations. One that cannot be followed becomes UNKNOWN, with the reason as its error. */
  watchOperations(handles: readonly string[]): Promise<AsyncIterableIterator<OperationRecord>>;
}

export interface InstanceControlOptions extends ResourceReadsOptions, ActionSenderOptions {
  readonly tracker: Tracker;
  readonly subscriptionLimits: SubscriptionLimits;
  readonly writeTimeoutMs: number;
}
