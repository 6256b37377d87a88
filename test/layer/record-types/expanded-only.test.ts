import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { startTestLayer, testWith } from '../../support/layer.ts';

/** A view of quotes that holds no id of their customer. */
const text = `"A quotation."
type Quotation @record(set: "salesQuotes", write: [CREATE], many: "quotations") {
  "Its number."
  number: String @column(kind: CODE)
  "The number of its customer."
  customerNumber: String @column(kind: CODE, write: [CREATE])
  "Its customer."
  client: Customer @relation(expand: "customer")
}`;

const test = testWith({}, {}).extend('layer', async ({ sandbox }, { onCleanup }) => {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-records-'));
  writeFileSync(join(folder, 'quotations.graphql'), text);
  const layer = await startTestLayer(sandbox.url, { RECORD_TYPES: folder });
  onCleanup(async () => {
    await layer.stop();
    rmSync(folder, { recursive: true });
  });
  return layer;
});

const query =
  '{ company { quotations(first: 5) { nodes { customerNumber client { number displayName } } } } }';

test('a record that only `$expand` leads to is always expanded, in one call', async ({ layer, sandbox }) => {
  const { data, errors } = await layer.query(query);

  expect(errors).toBeUndefined();
  expect(data.company.quotations.nodes.length).toBeGreaterThan(0);
  for (const { customerNumber, client } of data.company.quotations.nodes)
    expect(client.number).toBe(customerNumber);
  expect(await sandbox.calls()).toHaveLength(1);
});

test('it is no null where the upstream ignores the expansion', async ({ layer, sandbox }) => {
  await sandbox.fault({
    method: 'GET',
    status: 200,
    body: { value: [{ id: '44444444-4444-4444-8444-444444444444', customerNumber: 'C10000' }] },
  });

  const { errors } = await layer.query(query);

  expect(errors?.[0]).toMatchObject({
    extensions: { code: 'UPSTREAM_BAD_RESPONSE' },
    message: expect.stringContaining('did not expand `client`'),
  });
});

test('it is read after a create whose response does not have it', async ({ layer, sandbox }) => {
  const { data, errors } = await layer.query(
    'mutation { createQuotation(input: { customerNumber: "C10000" }) { quotation { client { number } } userErrors { code message } } }',
  );

  expect(errors).toBeUndefined();
  expect(data.createQuotation).toEqual({ quotation: { client: { number: 'C10000' } }, userErrors: [] });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST', 'GET']);
});
