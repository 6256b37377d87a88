import { InputError, UpstreamError } from '../errors.ts';
import type { Selection } from '../graph/selection.ts';
import type { UserError } from '../graph/user-errors.ts';
import { mapUpstreamError } from '../graph/user-errors.ts';
import { classifyAbsence } from '../http/absence.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError, isTransient } from '../http/errors.ts';
import type { OperationHandles } from '../operations/operation-handles.ts';
import type { StartedOperation, StartedOperations } from '../operations/started-operations.ts';
import type { Tracker } from '../operations/tracker.ts';
import { mapAsyncIterator, singleEvent } from '../runtime/async-iterators.ts';
import { mapStrings } from '../runtime/json.ts';
import { getOrCompute } from '../runtime/memo.ts';
import { createSemaphore } from '../runtime/semaphore.ts';
import { type ActionRequest, buildActionBody, validateAction } from './action-request.ts';
import {
  buildInstancePath,
  type InstanceAddress,
  type InstanceApiSettings,
  validateInstanceAddress,
} from './instance-address.ts';
import { type InstanceRecord, parseInstance } from './instance-record.ts';
import {
  describeRequest,
  type HandleContent,
  type OperationRecord,
  readOrigin,
  truncateStep,
  withFinalStep,
} from './operation-handle.ts';
import {
  filterByState,
  matchesOrigin,
  needsStates,
  type OperationFilter,
  unknownIfExpired,
} from './operation-list.ts';
import { isFinished, parseOperationStatus, type StepRecord } from './operation-status.ts';
import { findStatusAddress, type StatusAddress } from './status-address.ts';
import { readStatus, type StatusQuery, toWaitMs } from './status-reader.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly instances: InstanceControl;
  }
}

/** What the resolvers of area B work with: one for each GraphQL operation, with the caller's credentials. */
export interface InstanceControl {
  /** Sends a stop or a start, once. Throws `UpstreamError` for a failure on which the caller cannot act. */
  sendAction(
    request: ActionRequest,
  ): Promise<{ operation: OperationRecord | null; userErrors: readonly UserError[] }>;
  /** The instance now, or null where it does not exist. Throws `InputError` for an invalid address. */
  readInstance(address: InstanceAddress): Promise<InstanceRecord | null>;
  /** The operation now. One upstream call, more where it has moved, none where its handle holds the final state. */
  readOperation(handle: string): Promise<OperationRecord>;
  /**
   * The operations that this caller has started, newest first, as far as they are kept. One upstream call, four at a time,
   * for each that is not known to have finished, where its state is selected or filtered by. One that cannot be read
   * rejects by itself; one that the upstream no longer has is UNKNOWN.
   */
  listOperations(
    filter: OperationFilter | null | undefined,
    info: Parameters<Selection['at']>[0],
  ): Promise<readonly (OperationRecord | Promise<OperationRecord>)[]>;
  /** The operation now, then every change, until it has finished. */
  watchOperation(handle: string): Promise<AsyncIterableIterator<OperationRecord>>;
}

export interface InstanceControlOptions extends InstanceApiSettings {
  readonly client: UpstreamClient;
  readonly managementUrl: string;
  readonly handles: OperationHandles;
  readonly tracker: Tracker;
  readonly started: StartedOperations;
}

const maxConcurrentReads = 4;

/** Within one GraphQL operation, an instance or its operation that is selected twice is read once. */
export function createInstanceControl(
  options: InstanceControlOptions,
  access: Access,
  selection: Selection,
): InstanceControl {
  const { client, handles, tracker, started, managementUrl, apiVersion } = options;
  const { owner, callerKey } = access;
  const operations = new Map<string, Promise<OperationRecord>>();
  const instances = new Map<string, Promise<InstanceRecord | null>>();

  const readCurrent = (query: StatusQuery) =>
    readStatus({ client, managementUrl, apiVersion, access }, query);

  const open = async (id: string): Promise<HandleContent> => {
    const handle = (await handles.open(id)) as HandleContent;
    if (owner === null || handle.owner === owner) return handle;
    throw new InputError(
      'This operation was started by another caller, and only that caller may follow it.',
      'FORBIDDEN',
    );
  };

  const keepIfFinal = async (id: string, content: HandleContent, step: StepRecord | null) => {
    const final = step && isFinished(step.state) ? withFinalStep(content, step) : null;
    if (final === null) return;
    started.setFinal(callerKey, {
      handle: id,
      startedAt: content.sentAt,
      finalHandle: await handles.seal(final),
    });
  };

  const readFrom = async (id: string): Promise<OperationRecord> => {
    const content = await open(id);
    const { at, sentAt, last } = content;
    if (last) return { ...readOrigin(id, content), ...last };
    const { step } = await readCurrent({ at: at as StatusAddress, sentAt, followedMs: 0 });
    await keepIfFinal(id, content, step);
    return { ...readOrigin(id, content), ...(step ?? acceptedStep) };
  };
  const readOnce = (id: string) => getOrCompute(operations, id, () => readFrom(id));

  /** Null for one that this caller may not follow, or whose secret was removed. */
  const openStarted = async ({ handle: id, finalHandle }: StartedOperation) => {
    const content = await open(finalHandle ?? id).catch(() => null);
    return content && { origin: readOrigin(id, content), last: content.last };
  };

  const readInstanceAt = async (path: string, address: InstanceAddress): Promise<InstanceRecord | null> => {
    const response = await client.send({ method: 'GET', path, access }).catch((error: unknown) => {
      if (classifyAbsence(error) === 'proven') return null;
      throw error;
    });
    if (response === null) return null;
    const record = parseInstance(address, mapStrings(response.body, response.redact));
    if (record) return record;
    throw badResponseError(
      'instances',
      'The upstream responded with something other than an instance.',
      response,
    );
  };

  return {
    async sendAction(request) {
      const faults = validateAction(request);
      if (faults.length > 0) return { operation: null, userErrors: faults };
      const sentAt = Date.now();
      try {
        const body = buildActionBody(request);
        const response = await client.send({
          method: 'POST',
          path: buildInstancePath(options, request, request.action),
          access,
          kind: 'write',
          ...(body !== undefined && { body }),
        });
        const at = findStatusAddress(response.headers, managementUrl);
        const status = parseOperationStatus(mapStrings(response.body, response.redact));
        const record =
          at === null && !isFinished(status.state) ? { ...status, state: 'UNKNOWN' as const } : status;
        const last = isFinished(record.state) ? truncateStep(record) : null;
        const content = { at: last ? null : at, sentAt, last, owner, ...describeRequest(request) };
        const id = await handles.seal(content);
        await started.add(callerKey, { handle: id, startedAt: sentAt });
        return { operation: { ...readOrigin(id, content), ...record }, userErrors: [] };
      } catch (error) {
        const userError = mapUpstreamError(
          error,
          `Query the state of the instance (applicationInstance) before you ${request.action} it again.`,
        );
        if (!userError) throw error;
        return { operation: null, userErrors: [userError] };
      }
    },

    async readInstance(address) {
      const [fault] = validateInstanceAddress(address);
      if (fault) throw new InputError(fault.message);
      const path = buildInstancePath(options, address);
      return getOrCompute(instances, path, () => readInstanceAt(path, address));
    },

    async readOperation(id) {
      return readOnce(id);
    },

    async listOperations(filter, info) {
      // Rejects without a token: an empty list would say that nothing was started.
      await access.getToken();
      const stored = await Promise.all((await started.list(callerKey)).map(openStarted));
      const kept = stored.flatMap((one) => (one && matchesOrigin(filter, one.origin) ? [one] : []));
      // No field that a read would have is selected.
      if (!needsStates(filter, selection.at(info)))
        return kept.map(({ origin }) => origin as OperationRecord);
      const limit = createSemaphore(maxConcurrentReads);
      const read = kept.map(async ({ origin, last }) =>
        last ? { ...origin, ...last } : limit(() => readOnce(origin.id)).catch(unknownIfExpired(origin)),
      );
      return filter?.state ? filterByState(read, filter.state) : read;
    },

    async watchOperation(id) {
      const content = await open(id);
      const { at, sentAt, last } = content;
      const origin = readOrigin(id, content);
      if (last) return singleEvent({ ...origin, ...last });
      let currentAddress = at as StatusAddress;
      const followedAt = performance.now();
      // The language is part of the key, because error messages are translated.
      const key = handles.topicFor(access.principal, `${access.language ?? ''}${currentAddress.path}`);
      const steps = tracker.follow<StepRecord>(key, async (before) => {
        try {
          const followedMs = performance.now() - followedAt;
          const reading = await readCurrent({ at: currentAddress, sentAt, followedMs });
          currentAddress = reading.at;
          const found = reading.step && withMonotonicPercent(before, reading.step);
          const step = found ?? (before ? null : acceptedStep);
          await keepIfFinal(id, content, step);
          return { state: step, isFinished: step !== null && isFinished(step.state), waitMs: reading.waitMs };
        } catch (error) {
          if (!(error instanceof UpstreamError && isTransient(error))) throw error;
          return { state: null, isFinished: false, waitMs: toWaitMs(error.retryAfterSeconds) };
        }
      });
      return mapAsyncIterator(steps, (step) => ({ ...origin, ...step }));
    },
  };
}

// The state of an operation that was accepted and has no status record yet.
const acceptedStep = parseOperationStatus(null);

/** Upstreams have been seen to report less progress than before: it never goes back. */
function withMonotonicPercent(before: StepRecord | null, now: StepRecord): StepRecord {
  if (before?.percentComplete == null || (now.percentComplete ?? 0) >= before.percentComplete) return now;
  return { ...now, percentComplete: before.percentComplete };
}
