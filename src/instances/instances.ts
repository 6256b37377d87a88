import { InputError, UpstreamError } from '../errors.ts';
import type { UserError } from '../graph/user-errors.ts';
import { userErrorOf } from '../graph/user-errors.ts';
import type { Handles } from '../operations/handle.ts';
import { mapEvents, onlyEvent } from '../operations/map-events.ts';
import type { Tracker } from '../operations/tracker.ts';
import type { Answer } from '../upstream/answer.ts';
import { type Client, discretion } from '../upstream/client.ts';
import { badResponse, isPassing } from '../upstream/error-answers.ts';
import { mapTexts } from '../upstream/json.ts';
import { readRetryAfter } from '../upstream/retry-after.ts';
import { type ActionRequest, actionBody, checkAction } from './action-request.ts';
import { addressFaults, type InstanceAddress, type InstancePlace, instancePath } from './instance-address.ts';
import { type InstanceRecord, readInstance } from './instance-record.ts';
import {
  isFinished,
  type OperationRecord,
  readOperationStatus,
  type StepRecord,
} from './operation-status.ts';
import { statusAddressOf } from './status-address.ts';

/** What the resolvers of area B work with: one for each request, with the caller's own token. */
export interface Instances {
  /** Sends a stop or a start, once. Throws `UpstreamError` for what a caller cannot act on. */
  act(
    request: ActionRequest,
  ): Promise<{ operation: OperationRecord | null; userErrors: readonly UserError[] }>;
  /** The instance as it is now, or null when there is none. Throws `InputError` for names that cannot be. */
  instance(address: InstanceAddress): Promise<InstanceRecord | null>;
  /** How the operation stands now: one upstream call, none when its handle already tells the end. */
  operation(handle: string): Promise<OperationRecord>;
  /** How it stands now, then every change, until it has finished. */
  progress(handle: string): Promise<AsyncIterableIterator<OperationRecord>>;
}

export interface InstancesOptions extends InstancePlace {
  readonly client: Client;
  readonly managementUrl: string;
  readonly handles: Handles;
  readonly tracker: Tracker;
}

/** What a handle holds: all that is needed to go on after a restart, and no credential. */
interface Handle {
  /** Path and query of the status address; null when the answer named none, or told the end at once. */
  readonly address: string | null;
  /** When the request was sent, in milliseconds. */
  readonly sentAt: number;
  /** How the operation stands for good, without its steps, where the request's own answer said so. */
  readonly last: StepRecord | null;
}

// A status record may take a while to appear (the first look can be answered 404).
const absentForMs = 60_000;

/** The instance area as one request sees it. */
export function createInstances(options: InstancesOptions, token: string | null): Instances {
  const { client, handles, tracker, managementUrl } = options;
  const discreet = discretion(managementUrl, token);

  const look = async (
    id: string,
    { address, sentAt }: Handle,
  ): Promise<{ record: OperationRecord; answer: Answer }> => {
    try {
      const answer = await client.send({
        method: 'GET',
        path: address as string,
        shownAs: 'the status address in the handle',
        token,
      });
      return { record: { id, ...statusOf(answer, discreet) }, answer };
    } catch (error) {
      if (!(error instanceof UpstreamError) || error.status !== 404) throw error;
      if (Date.now() - sentAt < absentForMs) {
        return {
          record: { id, ...readOperationStatus(null) },
          answer: { status: 404, headers: {}, body: null },
        };
      }
      throw new InputError('The upstream no longer knows this operation.', 'OPERATION_EXPIRED');
    }
  };

  return {
    async act(request) {
      const faults = checkAction(request);
      if (faults.length > 0) return { operation: null, userErrors: faults };
      const sentAt = Date.now();
      try {
        const body = actionBody(request);
        const answer = await client.send({
          method: 'POST',
          path: instancePath(options, request, request.action),
          token,
          isWrite: true,
          ...(body !== undefined && { body }),
        });
        const address = statusAddressOf(answer.headers, managementUrl);
        const status = readOperationStatus(mapTexts(answer.body, discreet));
        const record =
          address === null && !isFinished(status.state) ? { ...status, state: 'UNKNOWN' as const } : status;
        const last = isFinished(record.state) ? inBrief(record) : null;
        const id = await handles.seal({ address: last ? null : address, sentAt, last } satisfies Handle);
        return { operation: { id, ...record }, userErrors: [] };
      } catch (error) {
        const userError = userErrorOf(
          error,
          `Look at the instance's own state (applicationInstance) before you ${request.action} it again.`,
        );
        if (!userError) throw error;
        return { operation: null, userErrors: [userError] };
      }
    },

    async instance(address) {
      const [fault] = addressFaults(address);
      if (fault) throw new InputError(fault.message);
      try {
        const { body } = await client.send({ method: 'GET', path: instancePath(options, address), token });
        const record = readInstance(address, mapTexts(body, discreet));
        if (record) return record;
      } catch (error) {
        if (error instanceof UpstreamError && error.status === 404) return null;
        throw error;
      }
      throw badResponse('instances', 'The upstream answered with something other than an instance.');
    },

    async operation(id) {
      const handle = (await handles.open(id)) as Handle;
      return handle.last ? { id, ...handle.last } : (await look(id, handle)).record;
    },

    async progress(id) {
      const handle = (await handles.open(id)) as Handle;
      if (handle.last) return onlyEvent({ id, ...handle.last });
      const key = handles.topicOf(token ?? '', handle.address ?? '');
      let current = handle;
      const steps = tracker.follow<StepRecord>(key, async (before) => {
        try {
          const { record, answer } = await look(id, current);
          const { id: _handle, ...step } = onlyForward(before, record);
          const moved = statusAddressOf(answer.headers, managementUrl);
          if (moved !== null) current = { ...current, address: moved };
          return { state: step, isFinished: isFinished(step.state), waitMs: waitMs(answer) };
        } catch (error) {
          if (!(error instanceof UpstreamError && isPassing(error))) throw error;
          const seconds = error.retryAfterSeconds;
          return { state: null, isFinished: false, waitMs: seconds && seconds * 1000 };
        }
      });
      return mapEvents(steps, (step) => ({ id, ...step }));
    },
  };
}

// The Location form answers 202 while the work goes on and 204 when it is done, with no body either time.
function statusOf({ status, body }: Answer, discreet: (text: string) => string): StepRecord {
  const step = readOperationStatus(mapTexts(body, discreet));
  if (body !== null || status === 202) return step;
  return { ...step, state: 'SUCCEEDED' };
}

// A handle has a limit, and what an upstream writes has none.
const maxText = 1024;

function inBrief(step: StepRecord): StepRecord {
  const brief = (text: string | null) => text?.slice(0, maxText) ?? null;
  const { operationId, name, status, error } = step;
  return {
    ...step,
    operationId: brief(operationId),
    name: brief(name),
    status: brief(status),
    error: error && {
      code: brief(error.code),
      message: brief(error.message),
      target: brief(error.target),
      details: [],
      additionalInfo: [],
    },
    operations: [],
  };
}

function onlyForward<Step extends StepRecord>(before: StepRecord | null, now: Step): Step {
  if (before?.percentComplete == null || (now.percentComplete ?? 0) >= before.percentComplete) return now;
  return { ...now, percentComplete: before.percentComplete };
}

function waitMs({ headers }: Answer): number | null {
  const seconds = readRetryAfter(headers, Date.now());
  return seconds === null || seconds === 0 ? null : seconds * 1000;
}
