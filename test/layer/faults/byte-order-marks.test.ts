import { expect, onTestFinished, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

const text = `\ufeff${JSON.stringify({ value: [{ id: '5d115c9c-44e3-4a11-bb43-000000000001', displayName: 'Håkansson' }] })}`;

test.each([
  ['with a length', { 'content-length': String(Buffer.byteLength(text)) }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
] as const)('a response %s that starts with a byte order mark is read as JSON', async (_how, headers) => {
  const upstream = await startStub(() => ({ headers, body: text }));
  const layer = await startTestLayer(upstream.url);
  onTestFinished(async () => {
    await layer.stop();
    upstream.stop();
  });

  const { data, errors } = await layer.query('{ company { customers(first: 1) { nodes { displayName } } } }');

  expect(errors).toBeUndefined();
  expect(data.company.customers.nodes).toEqual([{ displayName: 'Håkansson' }]);
});
