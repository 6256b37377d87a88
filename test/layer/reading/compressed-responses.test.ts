import { brotliCompressSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { startBeforeStub } from '../../support/layer.ts';
import type { StubAnswer } from '../../support/stub.ts';
import { customer } from '../../support/upstreams/upstream-bodies.ts';

/** A layer, and an upstream that answers one after another, then always the last. */
function compressed(answers: readonly StubAnswer[], settings: Readonly<Record<string, string>> = {}) {
  let number = 0;
  return startBeforeStub(() => answers[Math.min(number++, answers.length - 1)] as StubAnswer, settings);
}

const company = { id: sandboxCompanyId, name: 'Harbour & Heath €', displayName: 'Harbour' };
const text = JSON.stringify(company);
const name = '{ company { name } }';
const encoded = (coding: string, body: Buffer | string, more = {}): StubAnswer => ({
  headers: { 'content-encoding': coding, ...more },
  body,
});
const chunked = { 'transfer-encoding': 'chunked' };

test.for([
  ['gzip', gzipSync(text)],
  ['br', brotliCompressSync(text)],
] as const)('a response in the coding %s is read', async ([coding, body]) => {
  const { stub, layer } = await compressed([encoded(coding, body)]);

  const { data } = await layer.query(name);

  expect(data.company.name).toBe(company.name);
  expect(stub.requests[0]?.headers['accept-encoding']).toBe('br, gzip');
});

test('the maximum size limits the decompressed length, and a long response is aborted', async () => {
  const MAX_RESPONSE_BYTES = String(2 ** 20);
  const small = gzipSync(Buffer.alloc(2 ** 20 + 1, ' '));
  const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, ' '), { level: 9 });
  expect(small.length).toBeLessThan(64 * 1024);
  expect(bomb.length).toBeLessThan(300 * 1024);

  for (const body of [small, bomb]) {
    const { layer } = await compressed([encoded('gzip', body)], { MAX_RESPONSE_BYTES });
    const { errors } = await layer.query(name);

    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(errors?.[0]?.message).toBe('The upstream responded with more than may be read.');
  }
});

const long = gzipSync(Buffer.from(`${text}${' '.repeat(10)}${Array.from({ length: 9_999 }, Math.random)}`));
const broken = (bytes: Buffer) =>
  Buffer.concat([bytes.subarray(0, 40), Buffer.alloc(30, 7), bytes.subarray(70)]);

test.for([
  ['broken', broken(gzipSync(text))],
  ['not compressed at all', Buffer.from(text)],
  ['long and cut short', long.subarray(0, -9)],
] as const)('a read whose compressed response is %s is retried', async ([_what, body]) => {
  for (const more of [{}, chunked]) {
    const answers = [encoded('gzip', body, more), encoded('gzip', gzipSync(text))];
    const { stub, layer } = await compressed(answers, { UPSTREAM_ATTEMPTS: '2' });

    const { data } = await layer.query(name);

    expect(data.company.name).toBe(company.name);
    expect(stub.requests).toHaveLength(2);
  }
});

const update = `mutation { updateCustomer(input: { id: "${customer.id}", ifMatch: "W/\\"1\\"", patch: { displayName: "y" } }) {
  customer { displayName } userErrors { code }
} }`;

test('a write whose compressed response is broken is settled by a read, and not sent again', async () => {
  const changed = { ...customer, '@odata.etag': 'W/"2"', displayName: 'y' };
  const { stub, layer } = await compressed(
    [encoded('gzip', gzipSync(text).subarray(0, -9)), encoded('gzip', gzipSync(JSON.stringify(changed)))],
    { UPSTREAM_ATTEMPTS: '3' },
  );

  const data = await layer.read(update);

  expect(data.updateCustomer).toEqual({ customer: { displayName: 'y' }, userErrors: [] });
  expect(stub.requests.map(({ method }) => method)).toEqual(['PATCH', 'GET']);
});

test.for(['deflate', 'gzip, gzip'])(
  'a response in the coding %s is a bad response that says so',
  async (coding) => {
    const { stub, layer } = await compressed([encoded(coding, gzipSync(text))], {
      UPSTREAM_ATTEMPTS: '3',
    });

    const { errors } = await layer.query(name);

    expect(errors?.[0]?.extensions.code).toBe('UPSTREAM_BAD_RESPONSE');
    expect(errors?.[0]?.message).toBe('The upstream responded in a content coding that was not requested.');
    expect(stub.requests).toHaveLength(1);
  },
);
