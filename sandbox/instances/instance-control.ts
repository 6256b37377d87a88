import { badRequestError } from '../api-error.ts';
import type { ControlRoutes } from '../control/control-routes.ts';
import { emptyResponse } from '../http.ts';
import { readJsonObject } from '../json-body.ts';
import type { JsonCheck } from '../json-checks.ts';
import {
  checkFields,
  isBoolean,
  isCount,
  isHttpStatus,
  isJsonObject,
  isListOf,
  isObjectOf,
  isOneOf,
  isText,
} from '../json-checks.ts';
import type { Behaviour, PollFault, RejectedAction } from './behaviour.ts';
import { defaultBehaviour } from './behaviour.ts';
import type { Operations } from './operations.ts';

/** Characters that are valid in a header. */
const isPrintable: JsonCheck = (value) => typeof value === 'string' && /^[\x20-\x7e]*$/.test(value);
const isToken: JsonCheck = (value) => typeof value === 'string' && /^[\w-]+$/.test(value);

const rejectionChecks: Readonly<Record<keyof RejectedAction, JsonCheck>> = {
  status: isHttpStatus,
  error: isJsonObject,
  text: isText,
  headers: (value) =>
    isJsonObject(value) && Object.keys(value).every(isToken) && Object.values(value).every(isPrintable),
  carriedOut: isOneOf('unseen', 'followed'),
};

const pollChecks: Readonly<Record<keyof PollFault, JsonCheck>> = {
  from: isCount,
  to: isCount,
  status: isHttpStatus,
  retryAfter: isPrintable,
};

const behaviourChecks: Readonly<Record<keyof Behaviour, JsonCheck>> = {
  answer: isOneOf('accepted', 'tracked', 'done', 'empty', 'unfollowed'),
  refusal: isObjectOf(rejectionChecks, ['status']),
  follow: isOneOf('status', 'location', 'both'),
  header: isToken,
  address: isPrintable,
  addressLength: (value) => isCount(value) && (value as number) <= 15_000,
  apiVersion: isToken,
  isSealed: isBoolean,
  result: isOneOf(200, 202, 204, 'status'),
  retryAfter: isPrintable,
  polls: isListOf(isObjectOf(pollChecks, ['from', 'status'])),
  movesAtStep: isCount,
  failsAtStep: (value) => isCount(value) && (value as number) <= 5,
  error: isJsonObject,
  isEndless: isBoolean,
  endWord: isText,
  words: isListOf(() => true),
  percents: isListOf(() => true),
  times: isOneOf('iso', 'seven', 'blank'),
  depth: (value) => isCount(value) && (value as number) <= 1_000,
  isSelfNamed: isBoolean,
  body: isJsonObject,
  endBody: isJsonObject,
  omit: isListOf(isText),
  machine: isText,
  status: isText,
  settlesAtStep: isCount,
  settlesAs: isText,
  properties: isJsonObject,
  isSparse: isBoolean,
  stepMs: isCount,
};

const behaviourFields = Object.keys(behaviourChecks).join(', ');

/** Control routes for instances. */
export function instanceRoutes(operations: Operations): ControlRoutes {
  return {
    'POST /sandbox/instances': {
      description: `{"name": "mine", "like": "fragile", "stepMs": 50} creates or replaces an instance. It has the behaviour of the one named by like, or the default, with these fields changed: ${behaviourFields}. {"stepMs": 50} alone sets the duration of a step, {"pageSize": 100} how many rows a page of a list has.`,
      handle(request) {
        applyInstanceChange(readJsonObject(request.body), operations);
        return emptyResponse(204);
      },
    },
  };
}

const isPageSize = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;

function applyInstanceChange(
  { name, like, pageSize, ...differences }: Readonly<Record<string, unknown>>,
  operations: Operations,
): void {
  if (pageSize !== undefined) {
    if (
      name !== undefined ||
      like !== undefined ||
      Object.keys(differences).length > 0 ||
      !isPageSize(pageSize)
    )
      throw badRequestError("'pageSize' must be a positive integer, and alone.");
    operations.pageSize = pageSize;
    return;
  }
  checkFields('an instance', differences, behaviourChecks);
  if (name === undefined) {
    const { stepMs, ...rest } = differences;
    if (typeof stepMs !== 'number' || like !== undefined || Object.keys(rest).length > 0)
      throw badRequestError("An instance requires a 'name'.");
    operations.stepMs = stepMs;
    return;
  }
  if (typeof name !== 'string' || name === '')
    throw badRequestError("'name' must be a string that is not empty.");
  const model = like === undefined ? defaultBehaviour : operations.instances.get(String(like))?.behaviour;
  if (!model) throw badRequestError(`The instance ${JSON.stringify(like)} of 'like' does not exist.`);
  operations.instances.set(name, { name, behaviour: { ...model, ...differences } });
}
