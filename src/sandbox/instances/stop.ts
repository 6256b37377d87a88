import { expectVersion } from '../api-version.ts';
import type { BearerCodes, Caller } from '../bearer.ts';
import { forbidden, readCaller } from '../bearer.ts';
import type { Answer, Call } from '../http.ts';
import { empty, isJson, json } from '../http.ts';
import { Refusal } from '../refusal.ts';
import type { Instance } from './instances.ts';
import { findInstance, idOfInstance } from './instances.ts';
import type { Operations } from './operations.ts';
import { isEnded, statusAddress, statusOf } from './operations.ts';

const apiVersion = '2023-04-01';

const codes: BearerCodes = {
  missing: 'InvalidAuthenticationToken',
  expired: 'ExpiredAuthenticationToken',
  denied: 'AuthorizationFailed',
};

/** Stops an instance (B). How the stop goes is told by the instance's name: see `instances.ts`. */
export function stopInstance(call: Call, segments: readonly string[], operations: Operations): Answer {
  const caller = readCaller(call, codes);
  const instance = readInstance(call, segments);
  if (caller.isReader) throw forbidden(codes);
  const isSoft = readSoftStop(call) > 0;
  if (instance.refusal) throw instance.refusal;

  const now = new Date().toISOString();
  if (instance.answer === 'done') {
    const id = idOfInstance(instance);
    return json(200, {
      id,
      name: instance.name,
      status: 'Succeeded',
      startTime: now,
      endTime: now,
      error: null,
    });
  }
  const operation = operations.start({
    subscription: instance.subscription,
    namespace: instance.namespace,
    principal: caller.token,
    isSoft,
    script: instance.script,
  });
  const followed = { 'vendor-asyncoperation': `${call.origin}${statusAddress(operation)}` };
  if (instance.answer === 'unfollowed') return empty(202);
  if (instance.answer === 'accepted') return empty(202, followed);
  return json(200, { ...statusOf(operation, operations.stepMs, Date.now()), status: 'InProgress' }, followed);
}

/**
 * Reads how an operation stands, or undefined when the path is no status address. Only the
 * caller who started it may, and with the address exactly as given.
 */
export function readOperation(
  call: Call,
  segments: readonly string[],
  operations: Operations,
): Answer | undefined {
  const [, , , , locations, , statuses, name, ...beyond] = segments;
  const isStatus = same(locations, 'locations') && same(statuses, 'operationStatuses') && beyond.length === 0;
  if (!isStatus || name === undefined) return undefined;

  const caller = readCaller(call, codes);
  expectMethod(call, 'GET');
  expectVersion(call, apiVersion);
  const operation = operations.find(name);
  if (!operation) throw new Refusal(404, '', `Operation ${name} not found.`);
  checkReader(call, caller, operation);

  const { stepMs } = operations;
  const now = Date.now();
  const isPaced = stepMs >= 1000 && !isEnded(operation, stepMs, now);
  const headers = isPaced ? { 'retry-after': String(Math.floor(stepMs / 1000)) } : {};
  return json(200, statusOf(operation, stepMs, now), headers);
}

function checkReader(call: Call, caller: Caller, operation: { principal: string; query: string }): void {
  if (operation.principal === caller.token && operation.query === call.query) return;
  throw new Refusal(
    403,
    codes.denied,
    'Only the caller who started the operation may retrieve its status, with the address that was given.',
  );
}

function readInstance(call: Call, segments: readonly string[]): Instance {
  const [, subscription = '', groups, group = '', providers, namespace = '', segment = ''] = segments;
  const [virtualInstance = '', applications, name = '', action, ...beyond] = segments.slice(7);
  const isStop =
    same(segments[0], 'subscriptions') &&
    same(groups, 'resourceGroups') &&
    same(providers, 'providers') &&
    same(applications, 'applicationInstances') &&
    same(action, 'stop') &&
    beyond.length === 0;
  if (!isStop)
    throw new Refusal(404, 'InvalidResourceType', 'The resource type or operation could not be found.');

  expectMethod(call, 'POST');
  expectVersion(call, apiVersion);
  if (group.length < 1 || group.length > 90) throw invalid('resourceGroupName', 'It has 1 to 90 characters.');
  if (subscription === '') throw invalid('subscriptionId', 'It has at least 1 character.');
  return findInstance({ subscription, group, namespace, segment, virtualInstance, name });
}

/** The seconds a soft shutdown may take; 0, a hard stop, when nothing is said (Limits). */
function readSoftStop(call: Call): number {
  if (call.body === '') return 0;
  if (!isJson(call))
    throw new Refusal(415, 'UnsupportedMediaType', 'The content type must be application/json.');
  const body = parse(call.body);
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidContent();
  const { softStopTimeoutSeconds = 0, ...rest } = body as Record<string, unknown>;
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw invalid(unknown, 'A StopRequest has no such field.');
  if (!Number.isInteger(softStopTimeoutSeconds) || (softStopTimeoutSeconds as number) < 0) {
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

function invalid(target: string, reason: string): Refusal {
  return new Refusal(400, 'InvalidParameter', `The value of parameter ${target} is invalid.`, {
    target,
    details: [{ code: 'InvalidParameter', message: reason, target }],
  });
}

function expectMethod(call: Call, method: string): void {
  if (call.method === method) return;
  const headers = { allow: method };
  throw new Refusal(405, 'MethodNotAllowed', `The method '${call.method}' is not supported.`, { headers });
}

/** Fixed words of a path compare without regard to case, as in the real service. */
function same(segment: string | undefined, word: string): boolean {
  return segment?.toLowerCase() === word.toLowerCase();
}
