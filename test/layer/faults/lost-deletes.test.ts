import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const customers = `/api/v2.0/companies(${sandboxCompanyId})/customers`;

const id = '44444444-4444-4444-8444-444444444444';

const testIn = (dialect: 'document' | 'dynamics') =>
  testWith({ dialect }, { BUSINESS_DIALECT: dialect })
    // The tag of a customer that no document names: it can be deleted.
    .extend('etag', async ({ sandbox }): Promise<string> => {
      const response = await sandbox.send('POST', customers, { id, displayName: 'Short-lived' });
      await sandbox.forgetCalls();
      return ((await response.json()) as Record<string, string>)['@odata.etag'] as string;
    })
    // A layer that does not wait long for a write.
    .extend('hasty', async ({ sandbox }, { onCleanup }) => {
      const settings = { BUSINESS_DIALECT: dialect, WRITE_TIMEOUT_MS: '300' };
      const layer = await startTestLayer(sandbox.url, settings);
      onCleanup(() => layer.stop());
      return layer;
    });

const inDocument = testIn('document');
const inDynamics = testIn('dynamics');

async function remove(layer: TestLayer, ifMatch: string) {
  const { data, errors } = await layer.query(
    `mutation ($input: RecordVersionInput!) { deleteCustomer(input: $input) {
      customer { id etag city } userErrors { code path }
    } }`,
    { input: { id, ifMatch } },
  );
  expect(errors).toBeUndefined();
  return data.deleteCustomer;
}

/** The calls of the layer, without those of another tool: what each was answered. */
const calls = async (sandbox: TestSandbox) =>
  (await sandbox.calls())
    .filter(({ headers }) => headers.from === undefined)
    .map(({ method, status }) => [method, status]);

const methods = async (sandbox: TestSandbox) => (await calls(sandbox)).map(([method]) => method);

/** Whether the customer is there, whatever was answered about it. */
async function isThere(sandbox: TestSandbox): Promise<boolean> {
  const response = await sandbox.send('GET', '/sandbox/records?set=customers');
  const { records } = (await response.json()) as { records: { id: string }[] };
  return records.some((record) => record.id === id);
}

const deleted = { customer: null, userErrors: [] };

const lost: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  ['answered 500', { status: 500, body: {} }],
  ['answered 502 by a gateway', { status: 502, body: '<html>Bad Gateway</html>' }],
  ['answered 503', { status: 503, body: {} }],
  ['answered 504', { status: 504 }],
  ['answered 408', { status: 408 }],
  ['answered with a page of HTML', { status: 200, body: '<html>Hello</html>' }],
];

describe.each([
  ['document', 412, inDocument],
  ['dynamics', 409, inDynamics],
] as const)('a delete, in the dialect %s,', (_dialect, stale, test) => {
  test.for([
    ['whose connection broke', { reset: 'after' }] as const,
    ...lost.map(([what, fault]) => [what, { ...fault, after: true }] as const),
  ])(
    '%s though it was carried out, is verified by reads: one DELETE, two GETs and no error',
    async ([_what, fault], { layer, sandbox, etag }) => {
      await sandbox.fault({ method: 'DELETE', ...fault });

      expect(await remove(layer, etag)).toEqual(deleted);
      expect(await methods(sandbox)).toEqual(['DELETE', 'GET', 'GET']);
    },
  );

  test.for([['whose connection broke', { reset: 'before' }] as const, ...lost])(
    '%s and not carried out, is retried once, with the same tag',
    async ([_what, fault], { layer, sandbox, etag }) => {
      await sandbox.fault({ method: 'DELETE', ...fault });

      expect(await remove(layer, etag)).toEqual(deleted);
      expect(await isThere(sandbox)).toBe(false);
      const [first, look, second, ...others] = await sandbox.calls();
      expect(others).toEqual([]);
      expect(first).toMatchObject({ path: `${customers}(${id})`, headers: { 'if-match': etag } });
      expect(look).toMatchObject({ method: 'GET', status: 200 });
      expect(second).toMatchObject({ method: 'DELETE', path: first?.path, headers: { 'if-match': etag } });
    },
  );

  test('that takes longer than a write may, is verified by reads', async ({ hasty, sandbox, etag }) => {
    await sandbox.fault({ method: 'DELETE', delayMs: 2_000 });

    expect(await remove(hasty, etag)).toEqual(deleted);
    expect(await methods(sandbox)).toEqual(['DELETE', 'GET', 'GET']);
  });

  test('retried and answered 404, has succeeded: the first attempt arrived late', async ({
    hasty,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'DELETE', lateMs: 800 });
    // Reads the record before the first sending arrives, and tells it after.
    await sandbox.fault({ method: 'GET', delayMs: 900 });

    expect(await remove(hasty, etag)).toEqual(deleted);
    expect(await calls(sandbox)).toEqual([
      ['DELETE', 204],
      ['GET', 200],
      ['DELETE', 404],
      // Its set answers.
      ['GET', 200],
    ]);
  });

  test('lost and refused as stale on retry, is STALE_RECORD with the current record', async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'DELETE', status: 504, delayMs: 300 });

    const removing = remove(layer, etag);
    await expect.poll(async () => (await sandbox.calls()).length, { interval: 5 }).toBe(1);
    const another = { 'if-match': '*', from: 'tool' };
    await sandbox.send('PATCH', `${customers}(${id})`, { city: 'Bergen' }, another);
    const { customer, userErrors } = await removing;

    expect(customer).toMatchObject({ id, city: 'Bergen' });
    expect(userErrors).toMatchObject([{ code: 'STALE_RECORD', path: ['input', 'ifMatch'] }]);
    expect(await calls(sandbox)).toEqual([
      ['DELETE', 504],
      ['GET', 200],
      ['DELETE', stale],
      ['GET', 200],
    ]);
    expect(await remove(layer, customer.etag)).toEqual(deleted);
  });

  test('lost twice, has succeeded where the record no longer exists', async ({ layer, sandbox, etag }) => {
    await sandbox.fault({ method: 'DELETE', reset: 'before' });
    await sandbox.fault({ method: 'DELETE', reset: 'after' });

    expect(await remove(layer, etag)).toEqual(deleted);
    expect(await methods(sandbox)).toEqual(['DELETE', 'GET', 'DELETE', 'GET', 'GET']);
  });

  test('lost twice, is OUTCOME_UNKNOWN where the record still exists, and is not sent a third time', async ({
    layer,
    sandbox,
    etag,
  }) => {
    await sandbox.fault({ method: 'DELETE', status: 500, body: {}, times: 9 });

    expect(await remove(layer, etag)).toMatchObject({
      customer: { id, etag },
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    });
    expect(await methods(sandbox)).toEqual(['DELETE', 'GET', 'DELETE', 'GET']);
    expect(await isThere(sandbox)).toBe(true);
  });
});
