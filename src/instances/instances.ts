import { InputError, UpstreamError } from '../errors.ts';
import type { UserError } from '../graph/user-errors.ts';
import { userErrorOf } from '../graph/user-errors.ts';
import type { Handles } from '../operations/handle.ts';
import { mapEvents, onlyEvent } from '../operations/map-events.ts';
import type { Tracker } from '../operations/tracker.ts';
import type { Access } from '../upstream/access.ts';
import type { Client } from '../upstream/client.ts';
import { badResponse, isPassing } from '../upstream/error-answers.ts';
import { mapTexts } from '../upstream/json.ts';
import { type ActionRequest, actionBody, checkAction } from './action-request.ts';
import { addressFaults, type InstanceAddress, type InstancePlace, instancePath } from './instance-address.ts';
import { type InstanceRecord, readInstance } from './instance-record.ts';
import {
  isFinished,
  type OperationRecord,
  readOperationStatus,
  type StepRecord,
} from './operation-status.ts';
import { type StatusAddress, statusAddressOf } from './status-address.ts';
import { lookAt, waitMs } from './status-look.ts';

/** What the resolvers of area B work with: one for each request, in the caller's name. */
export interface Instances {
  /** Sends a stop or a start, once. Throws `UpstreamError` for what a caller cannot act on. */
  act(
    request: ActionRequest,
  ): Promise<{ operation: OperationRecord | null; userErrors: readonly UserError[] }>;
  /** The instance as it is now, or null when there is none. Throws `InputError` for names that cannot be. */
  instance(address: InstanceAddress): Promise<InstanceRecord | null>;
  /** How the operation stands now: one upstream call where it has not moved, none when its handle tells the end. */
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
  /** Where to ask; null when the answer named no address, or told the end at once. */
  readonly at: StatusAddress | null;
  /** When the request was sent, in milliseconds. */
  readonly sentAt: number;
  /** How the operation stands for good, without its steps, where the request's own answer said so. */
  readonly last: StepRecord | null;
  /** Who alone may follow it, where the upstream would let everybody: all callers are one to it. */
  readonly owner: string | null;
}

/** The instance area as one request sees it: an operation asked for twice is looked at once. */
export function createInstances(options: InstancesOptions, access: Access): Instances {
  const { client, handles, tracker, managementUrl } = options;
  const { owner } = access;
  const looked = new Map<string, Promise<OperationRecord>>();

  const look = (at: StatusAddress, sentAt: number) =>
    lookAt({ client, managementUrl, access }, { at, sentAt });

  const open = async (id: string): Promise<Handle> => {
    const handle = (await handles.open(id)) as Handle;
    if (owner === null || handle.owner === owner) return handle;
    throw new InputError('Another caller began this operation, who alone may follow it.', 'FORBIDDEN');
  };

  const operation = async (id: string): Promise<OperationRecord> => {
    const { at, sentAt, last } = await open(id);
    const step = last ?? (await look(at as StatusAddress, sentAt)).step;
    return { id, ...(step ?? notSeenYet) };
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
          access,
          kind: 'write',
          ...(body !== undefined && { body }),
        });
        const at = statusAddressOf(answer.headers, managementUrl);
        const status = readOperationStatus(mapTexts(answer.body, answer.discreet));
        const record =
          at === null && !isFinished(status.state) ? { ...status, state: 'UNKNOWN' as const } : status;
        const last = isFinished(record.state) ? inBrief(record) : null;
        const id = await handles.seal({ at: last ? null : at, sentAt, last, owner } satisfies Handle);
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
        const path = instancePath(options, address);
        const { body, discreet } = await client.send({ method: 'GET', path, access });
        const record = readInstance(address, mapTexts(body, discreet));
        if (record) return record;
      } catch (error) {
        if (error instanceof UpstreamError && error.status === 404) return null;
        throw error;
      }
      throw badResponse('instances', 'The upstream answered with something other than an instance.');
    },

    async operation(id) {
      const known = looked.get(id) ?? operation(id);
      looked.set(id, known);
      return known;
    },

    async progress(id) {
      const { at, sentAt, last } = await open(id);
      if (last) return onlyEvent({ id, ...last });
      let asked = at as StatusAddress;
      const key = handles.topicOf(access.principal, asked.path);
      const steps = tracker.follow<StepRecord>(key, async (before) => {
        try {
          const shown = await look(asked, sentAt);
          asked = shown.at;
          const step = shown.step ? onlyForward(before, shown.step) : before ? null : notSeenYet;
          return { state: step, isFinished: step !== null && isFinished(step.state), waitMs: shown.waitMs };
        } catch (error) {
          if (!(error instanceof UpstreamError && isPassing(error))) throw error;
          return { state: null, isFinished: false, waitMs: waitMs(error.retryAfterSeconds) };
        }
      });
      return mapEvents(steps, (step) => ({ id, ...step }));
    },
  };
}

// What is known of an operation that was accepted and not yet seen.
const notSeenYet = readOperationStatus(null);

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

function onlyForward(before: StepRecord | null, now: StepRecord): StepRecord {
  if (before?.percentComplete == null || (now.percentComplete ?? 0) >= before.percentComplete) return now;
  return { ...now, percentComplete: before.percentComplete };
}
