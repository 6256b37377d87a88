import type { Caller } from '../bearer.ts';
import { forbidden } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { empty, isJson, json } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { Refused } from './behaviour.ts';
import { followHeaders, retryAfter } from './follow.ts';
import type { Instance, InstanceAddress } from './instances.ts';
import { findInstance, machineOf } from './instances.ts';
import { endOf, statusOf } from './operation-status.ts';
import type { Operations } from './operations.ts';
import { isEnded } from './operations.ts';
import { codes, invalid } from './parameters.ts';
import { settledStatus } from './resource.ts';

/** Starts or stops an instance (B). How that goes is told by the instance's name: see `GET /sandbox`. */
export function actOnInstance(
  call: Call,
  caller: Caller,
  action: 'start' | 'stop',
  address: InstanceAddress,
  operations: Operations,
): Answer {
  const instance = findInstance(operations.instances, address);
  if (caller.isReader) throw forbidden(codes);
  const isSoft = readBody(call, action) > 0;
  const { behaviour } = instance;
  const { answer, refusal } = behaviour;
  if (refusal && !refusal.carriedOut) return refused(refusal, {});
  expectFreeMachine(instance, operations);

  const isAtOnce = answer === 'done' || answer === 'empty';
  const operation = operations.begin({
    action,
    instance: address,
    behaviour,
    before: settledStatus(instance, Date.now()),
    principal: caller.token,
    stepMs: isAtOnce ? 0 : (behaviour.stepMs ?? operations.stepMs),
    isSoft,
  });
  instance.operation = operation;

  const now = operation.startedAt;
  const waiting = behaviour.retryAfter === undefined ? {} : retryAfter(operation, now);
  const followed = { ...followHeaders(call, operation), ...waiting };
  if (refusal) return refused(refusal, refusal.carriedOut === 'followed' ? followed : {});
  switch (answer) {
    case 'done':
      return json(200, endOf(operation));
    case 'empty':
      return empty(200);
    case 'unfollowed':
      return empty(202);
    case 'accepted':
      return empty(202, followed);
    case 'tracked':
      return json(200, { ...statusOf(operation, now), status: 'InProgress' }, followed);
  }
}

function refused({ status, error, text, headers = {} }: Refused, followed: Record<string, string>): Answer {
  const all = { ...headers, ...followed };
  if (text === undefined) return json(status, { error }, all);
  return { status, headers: { 'content-type': 'text/html', ...all }, body: text };
}

/** On one machine, only one instance at a time starts or stops. */
function expectFreeMachine(instance: Instance, { instances }: Operations): void {
  const machine = machineOf(instance);
  const now = Date.now();
  for (const other of instances.values()) {
    if (other === instance && instance.behaviour.machine === undefined) continue;
    if (machineOf(other) !== machine || !other.operation || isEnded(other.operation, now)) continue;
    throw new Refusal(409, 'Conflict', `Another instance on the machine '${machine}' is being changed.`, {
      target: other.name,
      details: [{ code: 'OperationInProgress', message: 'Try again when it has finished.' }],
    });
  }
}

/** Reads the seconds a soft shutdown may take; 0, a hard stop, when nothing is said (Limits). A start takes nothing. */
function readBody(call: Call, action: 'start' | 'stop'): number {
  if (call.body === '') return 0;
  if (!isJson(call))
    throw new Refusal(415, 'UnsupportedMediaType', 'The content type must be application/json.');
  const body = parse(call.body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidContent();
  const { softStopTimeoutSeconds = 0, ...rest } = body as Record<string, unknown>;
  const unknown = action === 'start' ? Object.keys(body) : Object.keys(rest);
  if (unknown[0] !== undefined) throw invalid(unknown[0], `The body of a ${action} has no such field.`);
  // An int64: the next double above is beyond it.
  const isSeconds = Number.isInteger(softStopTimeoutSeconds) && (softStopTimeoutSeconds as number) < 2 ** 63;
  if (!isSeconds || (softStopTimeoutSeconds as number) < 0) {
    throw invalid('softStopTimeoutSeconds', 'It must be an integer of at least 0.');
  }
  return softStopTimeoutSeconds as number;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    throw invalidContent();
  }
}

function invalidContent(): Refusal {
  return new Refusal(400, 'InvalidRequestContent', 'The request body must be a JSON object.');
}
