import { readJsonObject } from '../business/field-values.ts';
import type { ControlAddresses } from '../control.ts';
import { empty } from '../http.ts';
import { badRequest } from '../refusal.ts';
import type { Behaviour, DisturbedPolls, Refused } from './behaviour.ts';
import { usual } from './behaviour.ts';
import type { Operations } from './operations.ts';

type Check = (value: unknown) => boolean;
type Json = Readonly<Record<string, unknown>>;

const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0;
const isText: Check = (value) => typeof value === 'string';
const isFlag: Check = (value) => typeof value === 'boolean';
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** What a header can carry. */
const isPrintable: Check = (value) => typeof value === 'string' && /^[\x20-\x7e]*$/.test(value);
const isToken: Check = (value) => typeof value === 'string' && /^[\w-]+$/.test(value);
const isStatus: Check = (value) => isCount(value) && (value as number) >= 200 && (value as number) <= 599;
const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);
const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.length > 0 && value.every(check);
const objectOf =
  (checks: Readonly<Record<string, Check>>, required: readonly string[]): Check =>
  (value) =>
    isObject(value) &&
    required.every((name) => name in value) &&
    Object.entries(value).every(([name, one]) => Object.hasOwn(checks, name) && checks[name]?.(one));

const refusalChecks: Readonly<Record<keyof Refused, Check>> = {
  status: isStatus,
  error: isObject,
  text: isText,
  headers: (value) =>
    isObject(value) && Object.keys(value).every(isToken) && Object.values(value).every(isPrintable),
  carriedOut: oneOf('unseen', 'followed'),
};

const pollChecks: Readonly<Record<keyof DisturbedPolls, Check>> = {
  from: isCount,
  to: isCount,
  status: isStatus,
  retryAfter: isPrintable,
};

const checks: Readonly<Record<keyof Behaviour, Check>> = {
  answer: oneOf('accepted', 'tracked', 'done', 'empty', 'unfollowed'),
  refusal: objectOf(refusalChecks, ['status']),
  follow: oneOf('status', 'location', 'both'),
  header: isToken,
  address: isPrintable,
  addressLength: (value) => isCount(value) && (value as number) <= 15_000,
  apiVersion: isToken,
  isSealed: isFlag,
  result: oneOf(200, 202, 204, 'status'),
  retryAfter: isPrintable,
  polls: listOf(objectOf(pollChecks, ['from', 'status'])),
  movesAtStep: isCount,
  failsAtStep: (value) => isCount(value) && (value as number) <= 5,
  error: isObject,
  isEndless: isFlag,
  endWord: isText,
  words: listOf(() => true),
  percents: listOf(() => true),
  times: oneOf('iso', 'seven', 'blank'),
  depth: (value) => isCount(value) && (value as number) <= 1_000,
  isSelfNamed: isFlag,
  body: isObject,
  endBody: isObject,
  omit: listOf(isText),
  machine: isText,
  status: isText,
  settlesAtStep: isCount,
  settlesAs: isText,
  properties: isObject,
  isSparse: isFlag,
  stepMs: isCount,
};

const fields = Object.keys(checks).join(', ');

/** The addresses below `/sandbox` that are about instances. */
export function instanceControls(operations: Operations): ControlAddresses {
  return {
    'POST /sandbox/instances': {
      about: `{"name": "mine", "like": "fragile", "stepMs": 50} makes an instance, or makes it anew; it is like the one named, or as usual, and departs from it in what else is said: ${fields}; {"stepMs": 50} alone is how long a step takes from now on`,
      answer(call) {
        setInstance(readJsonObject(call.body), operations);
        return empty(204);
      },
    },
  };
}

function setInstance({ name, like, ...differences }: Json, operations: Operations): void {
  for (const [field, value] of Object.entries(differences)) {
    const check = Object.hasOwn(checks, field) && checks[field as keyof Behaviour];
    if (!check) throw badRequest(`An instance has no '${field}'; it has name, like, ${fields}.`);
    if (!check(value)) throw badRequest(`'${field}' of an instance cannot be ${JSON.stringify(value)}.`);
  }
  if (name === undefined) {
    const { stepMs, ...rest } = differences;
    if (typeof stepMs !== 'number' || like !== undefined || Object.keys(rest).length > 0)
      throw badRequest("An instance has a 'name'.");
    operations.stepMs = stepMs;
    return;
  }
  if (typeof name !== 'string' || name === '') throw badRequest("'name' must be a text with characters.");
  const model = like === undefined ? usual : operations.instances.get(String(like))?.behaviour;
  if (!model) throw badRequest(`There is no instance ${JSON.stringify(like)} to be like.`);
  operations.instances.set(name, { name, behaviour: { ...model, ...differences } });
}
