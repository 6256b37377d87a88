import { expect } from 'vitest';
import { testToken, testWith } from '../../support/layer.ts';
import { actionInput, place } from '../../support/operations.ts';

const test = testWith({ stepMs: 20 }, {});

const mutation = (action: 'stop' | 'start', literal?: string) => {
  const name = `${action}ApplicationInstance`;
  return `mutation ${literal ? '' : `($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!)`} {
    acted: ${name}(input: ${literal ?? '$input'}) {
      operation { id state status percentComplete error { code } }
      userErrors { code message path upstream {
        code message target
        details { code message target details { code } additionalInfo { type info } }
        additionalInfo { type info }
      } }
    }
  }`;
};

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

    const { data, errors } = await layer.query(mutation('stop'), { input }, newCaller());

    expect(errors).toBeUndefined();
    expect(data.acted.operation?.state ?? null).toBe(state);
    expect(data.acted.userErrors.map((error: { code: string }) => error.code)).toEqual(code ? [code] : []);
    const [call, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(decodeURIComponent(call?.path ?? '')).toContain(`/applicationInstances/${name}/stop?`);
  },
);

test('a stop that is throttled is an error with the time to wait', async ({ layer }) => {
  const input = actionInput({ ...place, applicationInstanceName: 'throttled' });

  const { errors } = await layer.query(mutation('stop'), { input }, newCaller());

  expect(errors).toMatchObject([
    { extensions: { code: 'UPSTREAM_THROTTLED', upstream: 'instances', retryAfterSeconds: 1 } },
  ]);
});

test('a stop in a version that the upstream no longer has is an error that names the setting, and is sent once', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({
    method: 'POST',
    status: 500,
    body: { error: { code: 'NoRegisteredProviderFound', message: 'No.' } },
  });
  const input = actionInput({ ...place, applicationInstanceName: 'app01' });

  const { errors } = await layer.query(mutation('stop'), { input }, newCaller());

  expect(errors).toMatchObject([
    {
      message: expect.stringContaining('INSTANCES_TYPE'),
      extensions: { code: 'UPSTREAM_NOT_FOUND' },
    },
  ]);
  expect(await sandbox.calls()).toHaveLength(1);
});

test.for([409, 429].map((status) => ['stop', status] as const))(
  'a %s that meets the lock of another operation, answered %i, is CONFLICT, not throttled',
  async ([action, status], { layer, sandbox }) => {
    const error = { code: 'RetryableErrorDueToAnotherOperation', message: 'Locked.' };
    await sandbox.fault({ method: 'POST', status, body: { error } });
    const input = actionInput({ ...place, applicationInstanceName: 'app01' });

    const { data, errors } = await layer.query(mutation(action), { input }, newCaller());

    expect(errors).toBeUndefined();
    expect(data.acted).toMatchObject({
      operation: null,
      userErrors: [{ code: 'CONFLICT', message: expect.stringContaining('Another'), upstream: error }],
    });
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test('a refused stop keeps error details and additional info at any depth', async ({ layer }) => {
  const input = actionInput({ ...place, applicationInstanceName: 'conflict' });

  const { data } = await layer.query(mutation('stop'), { input });

  expect(data.acted.userErrors).toEqual([
    {
      code: 'CONFLICT',
      message: expect.stringMatching(/current state/),
      path: null,
      upstream: {
        code: 'Conflict',
        message: 'The instance is not in a state in which this can be done.',
        target: 'properties.status',
        details: [
          {
            code: 'SapDbOpsNotInExpectedState',
            message: 'The database is not in the expected state.',
            target: 'databaseInstances/db0',
            details: [{ code: 'DatabaseOffline' }],
            additionalInfo: [{ type: 'State', info: { expected: 'Running', actual: 'Offline' } }],
          },
        ],
        additionalInfo: [{ type: 'PolicyViolation', info: { policy: { id: 7, tags: ['a', null] } } }],
      },
    },
  ]);
});

test('a stop refused for missing rights reveals neither callers nor scopes', async ({ layer }) => {
  const { data } = await layer.query(mutation('stop'), {
    input: actionInput({ ...place, applicationInstanceName: 'forbidden' }),
  });

  expect(data.acted.userErrors[0].upstream).toMatchObject({ code: 'AuthorizationFailed', message: null });
});

test.for([
  ['reset', { reset: 'after' }],
  ['unreadable', { status: 200, body: '<html>' }],
  ['redirected', { status: 307, headers: { location: '/elsewhere' }, body: '' }],
] as const)(
  'a start whose response is %s is sent once, and is OUTCOME_UNKNOWN',
  async (row, { layer, sandbox }) => {
    await sandbox.fault({ method: 'POST', ...row[1] });

    const input = actionInput({ ...place, applicationInstanceName: 'app01' });
    const { data } = await layer.query(mutation('start'), { input }, newCaller());

    expect(data.acted).toMatchObject({
      operation: null,
      userErrors: [
        { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('before you start it again') },
      ],
    });
    expect(await sandbox.calls()).toHaveLength(1);
  },
);

test('a resource group of 90 characters in any case is sent with a stop', async ({ layer, sandbox }) => {
  const resourceGroupName = 'G'.repeat(90);

  await layer.query(mutation('stop'), {
    input: actionInput({ ...place, applicationInstanceName: 'app01', resourceGroupName }),
  });
  const upper = await layer.query(mutation('stop'), {
    input: actionInput({ ...place, applicationInstanceName: 'app01', resourceGroupName: 'RG-North' }),
  });

  expect((await sandbox.calls())[0]?.path).toContain(`/resourceGroups/${resourceGroupName}/`);
  expect(upper.data.acted.operation.state).toBe('RUNNING');
});

test.for([300, 2 ** 53 - 1])(
  'a soft stop of %s seconds is sent unchanged',
  async (seconds, { layer, sandbox }) => {
    const input = actionInput({
      ...place,
      applicationInstanceName: 'app01',
      softStopTimeoutSeconds: seconds,
    });

    await layer.query(mutation('stop'), { input }, newCaller());

    expect((await sandbox.calls())[0]?.body).toBe(`{"softStopTimeoutSeconds":${seconds}}`);
  },
);

test.for([
  ['a variable', '9007199254740992'],
  ['a literal', '9223372036854775807'],
] as const)(
  'a soft stop of more seconds than JSON represents exactly, %s of %s, is rejected and not sent',
  async ([how, seconds], { layer, sandbox }) => {
    const input = JSON.stringify(
      actionInput({ ...place, applicationInstanceName: 'app01', softStopTimeoutSeconds: 0 }),
    );
    const given = input.replace('Seconds":0', `Seconds":${seconds}`);
    const literal = given.replaceAll(/"(\w+)":/g, '$1:');
    const query = how === 'a variable' ? mutation('stop') : mutation('stop', literal);

    const response = await fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${testToken}` },
      body: `{"query":${JSON.stringify(query)},"variables":{"input":${how === 'a variable' ? given : input}}}`,
    });
    const { errors } = (await response.json()) as { errors: readonly { message: string }[] };

    const code = how === 'a variable' ? 'BAD_USER_INPUT' : 'GRAPHQL_VALIDATION_FAILED';
    expect(errors).toMatchObject([{ extensions: { code } }]);
    expect(errors[0]?.message).toContain(seconds);
    expect(errors[0]?.message).toContain('is not between -9007199254740991 and 9007199254740991');
    expect(await sandbox.calls()).toEqual([]);
  },
);
