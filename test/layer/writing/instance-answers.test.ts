import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';
import { actionInput, place } from '../../support/operations.ts';

const test = testWith({ stepMs: 20 }, {});

const stop = `mutation ($input: StopApplicationInstanceInput!) { acted: stopApplicationInstance(input: $input) {
  operation { state } userErrors { code message upstream { code message } }
} }`;

/** By the name of an instance of the sandbox: the state that a stop gives at once, or the code of its refusal. */
const answers: readonly (readonly [name: string, state: string | null, code: string | null])[] = [
  ['app01', 'RUNNING', null],
  ['app 03+ö%', 'RUNNING', null],
  ['quick', 'SUCCEEDED', null],
  ['quick-failed', 'FAILED', null],
  ['mute', 'UNKNOWN', null],
  ['silent', 'UNKNOWN', null],
  ['too-long', 'UNKNOWN', null],
  ['busy', null, 'CONFLICT'],
  ['nobody', null, 'NOT_FOUND'],
  ['forbidden', null, 'NOT_ALLOWED'],
  ['invalid', null, 'INVALID_INPUT'],
  ['refused-followed', null, 'CONFLICT'],
  ['broken', null, 'OUTCOME_UNKNOWN'],
  ['gateway', null, 'OUTCOME_UNKNOWN'],
];

let callers = 0;

/** A caller who has started nothing yet: an action that is still running is not sent again. */
const newCaller = () => {
  callers += 1;
  return { authorization: `Bearer caller-${callers}-of-answers` };
};

test.for(answers)(
  'a stop of %s returns the state %s and the user error %s, with one call',
  async ([name, state, code], { layer, sandbox }) => {
    const input = actionInput({ ...place, applicationInstanceName: name });

    const { data, errors } = await layer.query(stop, { input }, newCaller());

    expect(errors).toBeUndefined();
    expect(data.acted.operation?.state ?? null).toBe(state);
    expect(data.acted.userErrors.map((error: { code: string }) => error.code)).toEqual(code ? [code] : []);
    const [call, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(decodeURIComponent(call?.path ?? '')).toContain(`/applicationInstances/${name}/stop?`);
  },
);

const noVersion = { error: { code: 'NoRegisteredProviderFound', message: 'No.' } };

test.for([
  [
    'that is throttled is an error with the time to wait',
    'throttled',
    null,
    { extensions: { code: 'UPSTREAM_THROTTLED', upstream: 'instances', retryAfterSeconds: 1 } },
  ],
  [
    'in a version that the upstream no longer has is an error that names the setting',
    'app01',
    { method: 'POST', status: 500, body: noVersion },
    { message: expect.stringContaining('INSTANCES_TYPE'), extensions: { code: 'UPSTREAM_NOT_FOUND' } },
  ],
] as const)('a stop %s, and is sent once', async ([, name, fault, error], { layer, sandbox }) => {
  if (fault) await sandbox.fault(fault);
  const input = actionInput({ ...place, applicationInstanceName: name });

  const { errors } = await layer.query(stop, { input }, newCaller());

  expect(errors).toMatchObject([error]);
  expect(await sandbox.calls()).toHaveLength(1);
});

test.for([409, 429])(
  'a stop that meets the lock of another operation, answered %i, is CONFLICT, not throttled',
  async (status, { layer, sandbox }) => {
    const error = { code: 'RetryableErrorDueToAnotherOperation', message: 'Locked.' };
    await sandbox.fault({ method: 'POST', status, body: { error } });
    const input = actionInput({ ...place, applicationInstanceName: 'app01' });

    const { data, errors } = await layer.query(stop, { input }, newCaller());

    expect(errors).toBeUndefined();
    expect(data.acted).toMatchObject({
      operation: null,
      userErrors: [{ code: 'CONFLICT', message: expect.stringContaining('Another'), upstream: error }],
    });
    expect(await sandbox.calls()).toHaveLength(1);
  },
);
