import { InputError, UpstreamError } from '../../errors.ts';
import { mapUpstreamError, type UserError } from '../../graph/user-errors.ts';
import type { Access } from '../../http/auth/access.ts';
import type { UpstreamClient } from '../../http/client.ts';
import { redactData } from '../../http/redaction.ts';
import type { StartedOperations } from '../../operations/started-operations.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { addressKey, buildInstancePath, type InstanceApiSettings } from '../instance-address.ts';
import {
  describeRequest,
  type HandleContent,
  type OperationHandles,
  type OperationRecord,
  type RequestDescription,
  readOrigin,
  truncateStep,
} from '../operations/operation-handle.ts';
import { isFinished, parseOperationStatus } from '../operations/operation-status.ts';
import { findStatusAddress, toStep } from '../operations/status-reader.ts';
import { type ActionRequest, buildActionBody, validateAction } from './actions.ts';

export interface ActionResult {
  readonly operation: OperationRecord | null;
  readonly userErrors: readonly UserError[];
}

/** The actions that this process is sending, by caller and request. */
export type ActionsInFlight = Map<string, Promise<ActionResult>>;

export interface ActionSenderOptions extends InstanceApiSettings {
  readonly client: UpstreamClient;
  readonly managementUrl: string;
  readonly handles: OperationHandles;
  readonly started: StartedOperations;
  readonly inFlight: ActionsInFlight;
}

/**
 * Returns a function that sends a stop or a start once, or returns the operation of an equal request that has not ended
 * (`findRunning`). The operation is stored before the request is sent, so that in Redis it survives a crash. Throws
 * `UpstreamError` for a failure on which the caller cannot act.
 */
export function createActionSender(
  options: ActionSenderOptions,
  access: Access,
  findRunning: (request: RequestDescription) => Promise<OperationRecord | null>,
): (request: ActionRequest, readField: string, waitDeadline?: Deadline) => Promise<ActionResult> {
  const { client, managementUrl, handles, started, inFlight, apiVersion } = options;
  const { owner, person } = access;

  const send = async (
    request: ActionRequest,
    readField: string,
    waitDeadline: Deadline | undefined,
  ): Promise<ActionResult> => {
    const description = describeRequest(request);
    const running = await findRunning(description);
    if (running) return { operation: running, userErrors: [] };
    const sentAt = Date.now();
    const unanswered: HandleContent = { at: null, sentAt, last: null, owner, ...description };
    const sent = { handle: handles.seal(unanswered), startedAt: sentAt, finalHandle: null };
    await started.add(person, sent);
    const body = buildActionBody(request);
    const response = await client
      .send({
        method: 'POST',
        path: buildInstancePath(options, request, request.action),
        access,
        kind: 'write',
        ...(waitDeadline && { waitDeadline }),
        ...(body !== undefined && { body }),
      })
      .catch((error: unknown) => {
        if (isNotCarriedOut(error)) started.remove(person, sent);
        const advice = `Query the state of the instance (${readField}) before you ${request.action} it again.`;
        const userError = mapUpstreamError(error, advice);
        if (!userError) throw error;
        return userError;
      });
    if ('code' in response) return { operation: null, userErrors: [response] };
    const at = findStatusAddress(response.headers, managementUrl);
    const status = toStep({ ...response, body: redactData(response) }, false) ?? parseOperationStatus(null);
    const record =
      at === null && !isFinished(status.state) ? { ...status, state: 'UNKNOWN' as const } : status;
    const last = isFinished(record.state) ? truncateStep(record) : null;
    const content: HandleContent = {
      ...unanswered,
      at: last ? null : at,
      last,
    };
    const id = handles.seal(content);
    await started.add(person, { handle: id, startedAt: sentAt, finalHandle: last && id }, sent);
    return { operation: { ...readOrigin(id, content), ...record }, userErrors: [] };
  };

  return async (request, readField, waitDeadline) => {
    const faults = validateAction(request, apiVersion);
    if (faults.length > 0) return { operation: null, userErrors: faults };
    const key = JSON.stringify([person, request.action, buildActionBody(request), addressKey(request)]);
    // An equal request in flight may fail because of its own deadline. Then this one is sent.
    for (let running = inFlight.get(key); running; running = inFlight.get(key)) {
      const joined = await running.catch(() => null);
      if (joined) return joined;
    }
    const result = send(request, readField, waitDeadline);
    inFlight.set(key, result);
    return result.finally(() => {
      if (inFlight.get(key) === result) inFlight.delete(key);
    });
  };
}

/** Whether it is certain that the failed request was not carried out. */
const isNotCarriedOut = (error: unknown): boolean =>
  error instanceof InputError || (error instanceof UpstreamError && error.delivery !== 'unknown');
