import { InputError, UpstreamError } from '../errors.ts';
import type { UserError } from '../graph/user-errors.ts';
import { mapUpstreamError } from '../graph/user-errors.ts';
import { classifyAbsence } from '../http/absence.ts';
import type { Access } from '../http/auth/access.ts';
import type { UpstreamClient } from '../http/client.ts';
import { badResponseError, isTransient } from '../http/errors.ts';
import type { OperationHandles } from '../operations/operation-handles.ts';
import type { Tracker } from '../operations/tracker.ts';
import { mapAsyncIterator, singleEvent } from '../runtime/async-iterators.ts';
import { mapStrings } from '../runtime/json.ts';
import { getOrCompute } from '../runtime/memo.ts';
import { type ActionRequest, buildActionBody, validateAction } from './action-request.ts';
import {
  buildInstancePath,
  type InstanceAddress,
  type InstanceApiSettings,
  validateInstanceAddress,
} from './instance-address.ts';
import { type InstanceRecord, parseInstance } from './instance-record.ts';
import {
  isFinished,
  type OperationRecord,
  parseOperationStatus,
  type StepRecord,
} from './operation-status.ts';
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
  /** The operation now, then every change, until it has finished. */
  watchOperation(handle: string): Promise<AsyncIterableIterator<OperationRecord>>;
}

export interface InstanceControlOptions extends InstanceApiSettings {
  readonly client: UpstreamClient;
  readonly managementUrl: string;
  readonly handles: OperationHandles;
  readonly tracker: Tracker;
}

/**
 * The content of a handle: all that is needed to go on after a restart, and no credential. Handles are kept by clients,
 * so the names of these fields cannot change.
 */
interface HandleContent {
  /** Null where the response named no status address, or was final. */
  readonly at: StatusAddress | null;
  /** When the action was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** The final state, without its steps, where the response to the action itself was final. */
  readonly last: StepRecord | null;
  /** The only caller who may follow the operation; null where the upstream tells callers apart by their tokens. */
  readonly owner: string | null;
}

/** Within one GraphQL operation, an instance or its operation that is selected twice is read once. */
export function createInstanceControl(options: InstanceControlOptions, access: Access): InstanceControl {
  const { client, handles, tracker, managementUrl, apiVersion } = options;
  const { owner } = access;
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

  const readFrom = async (id: string): Promise<OperationRecord> => {
    const { at, sentAt, last } = await open(id);
    const step = last ?? (await readCurrent({ at: at as StatusAddress, sentAt, followedMs: 0 })).step;
    return { id, ...(step ?? acceptedStep) };
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
        const id = await handles.seal({ at: last ? null : at, sentAt, last, owner } satisfies HandleContent);
        return { operation: { id, ...record }, userErrors: [] };
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
      return getOrCompute(operations, id, () => readFrom(id));
    },

    async watchOperation(id) {
      const { at, sentAt, last } = await open(id);
      if (last) return singleEvent({ id, ...last });
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
          return { state: step, isFinished: step !== null && isFinished(step.state), waitMs: reading.waitMs };
        } catch (error) {
          if (!(error instanceof UpstreamError && isTransient(error))) throw error;
          return { state: null, isFinished: false, waitMs: toWaitMs(error.retryAfterSeconds) };
        }
      });
      return mapAsyncIterator(steps, (step) => ({ id, ...step }));
    },
  };
}

// The state of an operation that was accepted and has no status record yet.
const acceptedStep = parseOperationStatus(null);

// The length of a handle is limited, that of an upstream's texts is not.
const maxHandleText = 1024;

/** The step with texts that fit into a handle, and without what is nested below it. */
function truncateStep(step: StepRecord): StepRecord {
  const truncate = (text: string | null) => text?.slice(0, maxHandleText) ?? null;
  const { operationId, name, status, error } = step;
  return {
    ...step,
    operationId: truncate(operationId),
    name: truncate(name),
    status: truncate(status),
    error: error && {
      code: truncate(error.code),
      message: truncate(error.message),
      target: truncate(error.target),
      details: [],
      additionalInfo: [],
    },
    operations: [],
  };
}

/** Upstreams have been seen to report less progress than before: it never goes back. */
function withMonotonicPercent(before: StepRecord | null, now: StepRecord): StepRecord {
  if (before?.percentComplete == null || (now.percentComplete ?? 0) >= before.percentComplete) return now;
  return { ...now, percentComplete: before.percentComplete };
}
