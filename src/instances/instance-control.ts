import { InputError, UpstreamError } from '../errors.ts';
import type { SelectedObject } from '../graph/selected-object.ts';
import type { Access } from '../http/auth/access.ts';
import type { Follow } from '../operations/follow.ts';
import type { StartedOperation } from '../operations/started-operations.ts';
import { mapAsyncIterator, mergeAsyncIterators, singleEvent } from '../runtime/async-iterators.ts';
import { getOrCompute } from '../runtime/memo.ts';
import { createSemaphore } from '../runtime/semaphore.ts';
import { type SubscriptionLimits, sendMany } from './actions/action-many.ts';
import { type ActionResult, type ActionSenderOptions, createActionSender } from './actions/action-sender.ts';
import type { ActionRequest, InstanceAction } from './actions/actions.ts';
import { type ActionTarget, addressKey, type VirtualInstanceAddress } from './instance-address.ts';
import {
  type HandleContent,
  type OperationRecord,
  readOrigin,
  withFinalStep,
} from './operations/operation-handle.ts';
import {
  arrangeByState,
  compileOperationFilter,
  needsState,
  type OperationFilter,
  putRunningFirst,
} from './operations/operation-list.ts';
import { isFinished, parseOperationStatus, type StepRecord } from './operations/operation-status.ts';
import { readStatus, type StatusAddress, type StatusQuery } from './operations/status-reader.ts';
import { needsVirtualInstance, virtualInstances } from './resources/resource-kinds.ts';
import {
  createResourceReads,
  type ResourceReads,
  type ResourceReadsOptions,
} from './resources/resource-reads.ts';
import type { VirtualInstanceRecord } from './resources/resource-records.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly instances: InstanceControl;
  }
}

/** The data source of the resolvers of area B. One per GraphQL operation, with the caller's credentials. */
export interface InstanceControl extends ResourceReads {
  /**
   * Sends a stop or a start once. If an equal request of this caller has not ended, returns its operation instead,
   * after one upstream call. Throws `UpstreamError` for a failure on which the caller cannot act. `readField` is the
   * field that reads the instance, for messages.
   */
  sendAction(request: ActionRequest, readField: string): Promise<ActionResult>;
  /** Sends an action to several targets and returns one result for each; targets that are results are not sent. */
  sendActions(
    targets: readonly (ActionTarget | ActionResult)[],
    action: InstanceAction,
    readField: string,
  ): Promise<readonly ActionResult[]>;
  /**
   * Reads a virtual instance; null if it does not exist. Returns the address without a read if only its names and lists are
   * selected.
   */
  readVirtualInstance(
    address: VirtualInstanceAddress,
    selected: SelectedObject,
  ): Promise<VirtualInstanceRecord | null>;
  /**
   * Reads an operation: one upstream call, more if its address has changed, none if its handle contains the final
   * state.
   */
  readOperation(handle: string): Promise<OperationRecord>;
  /**
   * Lists the stored operations that this caller has started: running ones first, then newest first. If the state is
   * selected or filtered by, each operation that is not known to have finished takes an upstream call, five at a time.
   * The promise of an operation that cannot be read rejects; an operation that the upstream no longer has is UNKNOWN.
   */
  listOperations(
    filter: OperationFilter | null | undefined,
    selected: SelectedObject,
  ): Promise<readonly (OperationRecord | Promise<OperationRecord>)[]>;
  /** Yields the operation now, then after every change, until it has finished. */
  watchOperation(handle: string): Promise<AsyncIterableIterator<OperationRecord>>;
  /** Watches several operations. One that can no longer be followed becomes UNKNOWN, with the reason as its error. */
  watchOperations(handles: readonly string[]): Promise<AsyncIterableIterator<OperationRecord>>;
}

export interface InstanceControlOptions extends ResourceReadsOptions, ActionSenderOptions {
  readonly follow: Follow<StepRecord>;
  readonly subscriptionLimits: SubscriptionLimits;
  /** Time limit for a mutation to send the actions of several instances. */
  readonly writeTimeoutMs: number;
}

const maxConcurrentReads = 5;

/** Within one GraphQL operation, an instance or operation that is selected twice is read once. */
export function createInstanceControl(options: InstanceControlOptions, access: Access): InstanceControl {
  const { client, handles, follow, started, managementUrl, apiVersion } = options;
  const { owner, person } = access;
  const operations = new Map<string, Promise<OperationRecord>>();
  const limit = createSemaphore(maxConcurrentReads);

  const readCurrent = (query: StatusQuery) =>
    readStatus({ client, managementUrl, apiVersion, access }, query);

  const open = async (id: string): Promise<HandleContent> => {
    const handle = handles.open(id) as HandleContent;
    if (owner === null || handle.owner === owner) return handle;
    throw new InputError(
      'This operation was started by another caller, and only that caller may follow it.',
      'FORBIDDEN',
    );
  };

  const storeIfFinal = (id: string, content: HandleContent, step: StepRecord | null) => {
    const final = step && isFinished(step.state) ? withFinalStep(content, step) : null;
    if (final === null) return;
    started.setFinal(person, { handle: id, startedAt: content.sentAt, finalHandle: handles.seal(final) });
  };

  const readOperation = async (id: string): Promise<OperationRecord> => {
    const content = await open(id);
    const origin = readOrigin(id, content);
    const { at, sentAt, last } = content;
    if (last) return { ...origin, ...last };
    if (at === null) return { ...origin, ...unknownStep };
    const { step } = await limit(() => readCurrent({ at, sentAt, followedMs: 0 }));
    storeIfFinal(id, content, step);
    return { ...origin, ...(step ?? acceptedStep) };
  };
  const readOnce = (id: string) => getOrCompute(operations, id, () => readOperation(id));

  /** Returns null if this caller may not follow the operation, or if its secret was removed. */
  const openStarted = async ({ handle: id, finalHandle }: StartedOperation) => {
    const content = await open(finalHandle ?? id).catch(() => null);
    return content && { origin: readOrigin(id, content), content };
  };
  const listStarted = async () =>
    (await Promise.all((await started.list(person)).map(openStarted))).filter((opened) => opened !== null);

  const readStarted = async ({ origin, content }: NonNullable<Awaited<ReturnType<typeof openStarted>>>) => {
    if (content.last) return { ...origin, ...content.last };
    return readOnce(origin.id).catch((error: unknown) => {
      // The upstream may drop an operation sooner than Tributary.
      if (!(error instanceof InputError && error.code === 'OPERATION_EXPIRED')) throw error;
      storeIfFinal(origin.id, content, unknownStep);
      return { ...origin, ...unknownStep };
    });
  };

  const opened = new Map<string, Promise<HandleContent | null>>();
  const openOnce = (id: string) => getOrCompute(opened, id, () => open(id).catch(() => null));

  /**
   * Finds the newest operation of an equal request that is still running: its status says so, it has no end time, and the
   * opposite action was not requested since.
   */
  const findRunning: Parameters<typeof createActionSender>[2] = async (request) => {
    for (const { handle, finalHandle } of await started.list(person)) {
      const content = await openOnce(finalHandle ?? handle);
      if (!content || addressKey(content.instance) !== addressKey(request.instance)) continue;
      if (content.action !== request.action) return null;
      if (!content.at || content.last || content.body !== request.body) continue;
      const { at, sentAt } = content;
      const { step } = await readCurrent({ at, sentAt, followedMs: 0 }).catch(() => ({ step: null }));
      storeIfFinal(handle, content, step);
      return step?.state === 'RUNNING' && step.endTime === null
        ? { ...readOrigin(handle, content), ...step }
        : null;
    }
    return null;
  };

  const watch = (id: string, content: HandleContent): AsyncIterableIterator<OperationRecord> => {
    const origin = readOrigin(id, content);
    const { at, sentAt, last } = content;
    if (last) return singleEvent({ ...origin, ...last });
    if (at === null) return singleEvent({ ...origin, ...unknownStep });
    let currentAddress: StatusAddress = at;
    const followedAt = performance.now();
    // The language is part of the key because error messages are translated.
    const key = handles.topicFor(access.principal, `${access.language ?? ''}${currentAddress.path}`);
    const read = async (before: StepRecord | null) => {
      const followedMs = performance.now() - followedAt;
      const reading = await readCurrent({ at: currentAddress, sentAt, followedMs });
      currentAddress = reading.at;
      const found = reading.step && withMonotonicPercent(before, reading.step);
      const value = found ?? (before ? null : acceptedStep);
      storeIfFinal(id, content, value);
      return { value, isFinished: value !== null && isFinished(value.state), waitMs: reading.waitMs };
    };
    return mapAsyncIterator(
      follow(key, () => ({ read })),
      (step) => ({ ...origin, ...step }),
    );
  };

  const resources = createResourceReads(options, access, limit);
  const sendAction = createActionSender(options, access, findRunning);

  return {
    ...resources,

    async readVirtualInstance(address, { fields }) {
      if (needsVirtualInstance(fields)) return resources.readResource(virtualInstances, address);
      // The fields that are missing here are not selected.
      return address as VirtualInstanceRecord;
    },

    sendAction,
    sendActions: (targets, action, readField) =>
      sendMany(
        targets,
        (target, waitDeadline) => sendAction({ ...target, ...action }, readField, waitDeadline),
        (id) => options.subscriptionLimits.get(JSON.stringify([person, id.toLowerCase()])),
        options.writeTimeoutMs,
      ),

    readOperation: readOnce,

    async listOperations(filter, selected) {
      // Rejects without a token: an empty list would suggest that nothing was started.
      await access.getToken();
      const matches = compileOperationFilter(filter);
      const listed = (await listStarted()).filter(({ origin }) => matches(origin));
      if (listed.some(({ origin }) => needsState(origin, filter, selected)))
        return arrangeByState(listed.map(readStarted), filter?.state);
      // The fields that are missing here are not selected.
      return putRunningFirst(listed, ({ content }) => content.at !== null).map(
        ({ origin }) => origin as OperationRecord,
      );
    },

    watchOperation: async (id) => watch(id, await open(id)),

    async watchOperations(ids) {
      const handles = [...new Set(ids)];
      const contents = await Promise.all(handles.map(open));
      return mergeAsyncIterators(
        handles.map((id, index) => {
          const content = contents[index] as HandleContent;
          const origin = readOrigin(id, content);
          return mapAsyncIterator<OperationRecord, OperationRecord>(
            watch(id, content),
            (operation) => operation,
            (failure) => ({ ...origin, ...unknownStep, error: toErrorDetail(failure) }),
          );
        }),
      );
    },
  };
}

// The state of an operation that was accepted but has no status record yet.
const acceptedStep = parseOperationStatus(null);

// The state of an operation whose request got no response. It may be running.
const unknownStep: StepRecord = { ...acceptedStep, state: 'UNKNOWN' };

/** Describes why an operation can no longer be followed. Rethrows an unexpected error. */
function toErrorDetail(failure: unknown): StepRecord['error'] {
  if (!(failure instanceof InputError || failure instanceof UpstreamError)) throw failure;
  const { code, message } = failure;
  return { code, message, target: null, details: [], additionalInfo: [] };
}

/** Keeps the reported progress from decreasing, as it does at some upstreams. */
function withMonotonicPercent(before: StepRecord | null, now: StepRecord): StepRecord {
  if (before?.percentComplete == null) return now;
  return { ...now, percentComplete: Math.max(before.percentComplete, now.percentComplete ?? 0) };
}
