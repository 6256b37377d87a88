import { describe, expect } from 'vitest';
import { startTestLayer, type TestLayer, testWith } from '../support/layer.ts';
import type { TestSandbox } from '../support/sandbox.ts';

const uuid = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const chosen = '44444444-4444-4444-8444-444444444444';

/** What a layer knows of ids it knows for good: every test has its own. */
const testIn = (chosenIds: 'honour' | 'refuse', settings: Record<string, string> = {}) =>
  testWith({ chosenIds }, {}).extend('fresh', async ({ sandbox }, { onCleanup }) => {
    const layer = await startTestLayer(sandbox.url, settings);
    onCleanup(() => layer.stop());
    return layer;
  });

const honouring = testIn('honour');
const refusing = testIn('refuse');
const switchedOff = testIn('honour', { BUSINESS_CHOSEN_IDS: 'off' });

const create = async (layer: TestLayer, input: object) => {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateCustomerInput!) { payload: createCustomer(input: $input) {
      record: customer { id number } userErrors { code }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.payload;
};

const named = (displayName: string) => ({ displayName });

/** The calls, each with the id its body holds. */
const calls = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, status, body }) => [
    method,
    status,
    body === '' ? undefined : (JSON.parse(body).id as string | undefined),
  ]);

const unknown = { record: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] };

const invalid = { record: null, userErrors: [{ code: 'INVALID_INPUT' }] };

describe('where the upstream refuses ids', () => {
  refusing(
    'a create is made by a second sending without one, and no id is sent any more',
    async ({ fresh, sandbox }) => {
      const first = await create(fresh, named('Brindle'));
      const second = await create(fresh, named('Brindle'));

      expect([first.userErrors, second.userErrors]).toEqual([[], []]);
      expect(first.record.id).not.toBe(second.record.id);
      expect(await calls(sandbox)).toEqual([
        ['POST', 400, expect.stringMatching(uuid)],
        ['POST', 201, undefined],
        ['POST', 201, undefined],
      ]);
    },
  );

  refusing(
    'a create whose second sending is lost is OUTCOME_UNKNOWN, and not sent a third time',
    async ({ fresh, sandbox }) => {
      await sandbox.fault({ method: 'POST', delayMs: 0 });
      await sandbox.fault({ method: 'POST', reset: 'after' });

      expect(await create(fresh, named('Brindle'))).toEqual(unknown);
      expect(await calls(sandbox)).toEqual([
        ['POST', 400, expect.stringMatching(uuid)],
        ['POST', 0, undefined],
      ]);
    },
  );

  refusing('a create lost afterwards is OUTCOME_UNKNOWN, and sent once', async ({ fresh, sandbox }) => {
    await create(fresh, named('The first'));
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'POST', reset: 'after' });

    expect(await create(fresh, named('Brindle'))).toEqual(unknown);
    expect(await calls(sandbox)).toEqual([['POST', 0, undefined]]);
  });

  refusing(
    "a caller's own id is refused as INVALID_INPUT, and nothing is made",
    async ({ fresh, sandbox }) => {
      expect(await create(fresh, { id: chosen, ...named('Brindle') })).toEqual({
        record: null,
        userErrors: [{ code: 'INVALID_INPUT' }],
      });
      expect(await calls(sandbox)).toEqual([['POST', 400, chosen]]);
    },
  );
});

describe('with BUSINESS_CHOSEN_IDS=off', () => {
  switchedOff(
    'no id is sent, and a lost create is OUTCOME_UNKNOWN and sent once',
    async ({ fresh, sandbox }) => {
      await create(fresh, named('The first'));
      await sandbox.fault({ method: 'POST', reset: 'after' });

      expect(await create(fresh, named('Brindle'))).toEqual(unknown);
      expect(await calls(sandbox)).toEqual([
        ['POST', 201, undefined],
        ['POST', 0, undefined],
      ]);
    },
  );

  switchedOff("a caller's own id is sent and looked up, but never sent again", async ({ fresh, sandbox }) => {
    const made = await create(fresh, { id: chosen, ...named('The first') });
    await sandbox.forgetCalls();
    const other = chosen.replaceAll('4', '5');
    await sandbox.fault({ method: 'POST', reset: 'before' });
    const lost = await create(fresh, { id: other, ...named('Brindle') });
    await sandbox.fault({ method: 'POST', reset: 'after' });
    const found = await create(fresh, { id: other, ...named('Brindle') });

    expect(made).toMatchObject({ record: { id: chosen }, userErrors: [] });
    expect(lost).toEqual(unknown);
    expect(found).toMatchObject({ record: { id: other }, userErrors: [] });
    expect(await calls(sandbox)).toEqual([
      ['POST', 0, other],
      ['GET', 404, undefined],
      ['POST', 0, other],
      ['GET', 200, undefined],
    ]);
  });
});

describe('while it is not known whether ids are kept', () => {
  honouring(
    'a create refused for its values is tried without an id, too, and INVALID_INPUT',
    async ({ fresh, sandbox }) => {
      expect(await create(fresh, { displayName: 'Brindle', email: 'no address' })).toEqual(invalid);
      expect(await calls(sandbox)).toEqual([
        ['POST', 400, expect.stringMatching(uuid)],
        ['POST', 400, undefined],
      ]);
      // That proves nothing: the next create has an id again, and is trusted with it from then on.
      const { record } = await create(fresh, named('Brindle'));
      expect(await create(fresh, { displayName: 'Brindle', email: 'no address' })).toEqual(invalid);
      expect((await calls(sandbox)).slice(2)).toEqual([
        ['POST', 201, record.id],
        ['POST', 400, expect.stringMatching(uuid)],
      ]);
    },
  );

  honouring.for([
    [403, 'NOT_ALLOWED'],
    [409, 'CONFLICT'],
  ] as const)('a create refused with %i is %s, and sent once', async ([status, code], { fresh, sandbox }) => {
    await sandbox.fault({ method: 'POST', status, body: {} });

    expect(await create(fresh, named('Brindle'))).toEqual({ record: null, userErrors: [{ code }] });
    expect(await calls(sandbox)).toHaveLength(1);
  });
});
