import { expect } from 'vitest';
import { codesOf, entriesFor, many, storedIn } from '../../support/cases/every-input.ts';
import { test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const updates = 'updateCustomer';

const changesOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).filter(({ method }) => method === 'PATCH');

const versionsOf = async (sandbox: TestSandbox, count: number) =>
  (await storedIn(sandbox, 'customers')).slice(0, count).map(({ version }) => version);

test.for([
  ['throttles', { status: 429, headers: { 'retry-after': '9' }, body: {} }],
  ['throttles without a word on how long', { status: 429, body: {} }],
] as const)(
  'where batches are not supported and the upstream %s, later entries are not sent, and are CONFLICT like that one',
  async ([_how, answer], { layer, sandbox }) => {
    const entries = await entriesFor(sandbox, updates, 4);
    await sandbox.fault({ path: '$batch', status: 404, body: {} });
    await sandbox.fault({ method: 'PATCH', path: String(entries[1]?.id), ...answer });

    const { results } = await many(layer, updates, entries);

    expect(codesOf(results)).toEqual(['', 'CONFLICT', 'CONFLICT', 'CONFLICT']);
    expect(await changesOf(sandbox)).toHaveLength(2);
    expect(await versionsOf(sandbox, 4)).toEqual([2, 1, 1, 1]);
  },
);

test("the entries to retry after a lost batch wait for the upstream's Retry-After", async ({
  layer,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, updates, 3);
  await sandbox.fault({ path: '$batch', status: 504, body: {} });
  await sandbox.fault({ method: 'PATCH', status: 429, headers: { 'retry-after': '1' }, body: {} });
  const begin = Date.now();

  const { results } = await many(layer, updates, entries);

  expect(codesOf(results)).toEqual(['', '', '']);
  const sent = await changesOf(sandbox);
  expect(sent.map(({ status }) => status)).toEqual([429, 200, 200, 200]);
  expect(Date.now() - begin).toBeGreaterThanOrEqual(1_000);
  expect(await versionsOf(sandbox, 3)).toEqual([2, 2, 2]);
});

test('where batches are not supported and the upstream throttles the first write, the whole is an error after one call', async ({
  layer,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, updates, 3);
  await sandbox.fault({ path: '$batch', status: 501, body: {} });
  await sandbox.fault({ method: 'PATCH', status: 429, times: 3, body: {} });

  const { errors } = await many(layer, updates, entries);

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_THROTTLED' } }]);
  expect(await changesOf(sandbox)).toHaveLength(1);
});
