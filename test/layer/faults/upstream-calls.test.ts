import { expect, onTestFinished, test } from 'vitest';
import { createForwardedAccess } from '../../../src/http/auth/access.ts';
import { createUpstream, type UpstreamOptions } from '../../../src/http/upstream.ts';
import { startBeforeStub } from '../../support/layer.ts';
import { plainWire } from '../../support/proxies/wire.ts';
import { type StubAnswer, startStub } from '../../support/stub.ts';

/** Calls to an upstream that answers as `answers` say, one after another, and well when there are none left. */
async function calling(answers: StubAnswer[], more: Partial<UpstreamOptions> = {}) {
  const at: number[] = [];
  const stub = await startStub(() => {
    at.push(performance.now());
    return answers.shift() ?? { body: {} };
  });
  const { client } = createUpstream({
    upstream: 'business',
    url: stub.url,
    maxAttempts: 3,
    readTimeoutMs: 5_000,
    writeTimeoutMs: 5_000,
    maxResponseBytes: 1_000_000,
    wire: plainWire,
    clientRequestIdHeader: 'client-request-id',
    maxCalls: 8,
    keepAliveMs: 4_000,
    maxCallsPerCaller: 8,
    quota: null,
    sharedQuota: null,
    minBreakerFailures: 1_000_000,
    secrets: [],
    errorRules: [],
    onThrottled() {},
    onBreakerChange() {},
    ...more,
  });
  onTestFinished(async () => {
    await client.close();
    stub.stop();
  });
  const ann = createForwardedAccess('business', 'ann', { principal: 'ann' });
  const read = (access = ann) => client.send({ method: 'GET', path: '/a', access });
  const write = () => client.send({ method: 'PATCH', path: '/a', access: ann, kind: 'write', body: '{}' });
  return { at, ann, read, write };
}

test.for([['3 '], [['3', '2 ']]])(
  'a Retry-After of %j is three seconds, of a response and of a part of a batch',
  async ([given]) => {
    const { layer } = await startBeforeStub(({ target, body }) => {
      const headers = { 'retry-after': given as string };
      if (!target.endsWith('$batch')) return { status: 429, headers, body: {} };
      const { requests } = JSON.parse(body) as { requests: { id: string }[] };
      const part = { status: 429, headers: { 'Retry-After': given }, body: {} };
      return { body: { responses: requests.map(({ id }) => ({ id, ...part })) } };
    });
    const read = (at: number) => `a${at}: company { customers(first: ${at}) { nodes { id } } }`;

    for (const reads of [1, 6]) {
      const query = `{ ${Array.from({ length: reads }, (_, at) => read(at + 1)).join(' ')} }`;
      const { errors } = await layer.query(query, {}, { authorization: `Bearer reader-of-${reads}` });

      expect(errors).toHaveLength(reads);
      for (const { extensions } of errors ?? [])
        expect(extensions).toMatchObject({ code: 'UPSTREAM_THROTTLED', retryAfterSeconds: 3 });
    }
  },
);

test('a part of a batch that is answered 503 with Retry-After pauses its caller', async () => {
  const { layer, stub } = await startBeforeStub(({ body }) => {
    const { requests } = JSON.parse(body) as { requests: { id: string }[] };
    const part = { status: 503, headers: { 'retry-after': '40' }, body: {} };
    return { body: { responses: requests.map(({ id }) => ({ id, ...part })) } };
  });
  const lists = Array.from({ length: 5 }, (_, at) => `l${at}: customers(first: ${at + 1}) { nodes { id } }`);
  await layer.query(`{ company { ${lists.join(' ')} } }`);
  const calls = stub.requests.length;

  const { errors } = await layer.query('{ company { customers(first: 1) { nodes { id } } } }');

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_THROTTLED' } }]);
  expect(stub.requests.map(({ target }) => target.split('/').at(-1))).toEqual(Array(calls).fill('$batch'));
});

const record = { id: '00000000-0000-4000-8000-000000000001', displayName: 'Grønn {"', number: '1' };
const whole = Buffer.from(JSON.stringify({ value: [record, record] }));

test.for([
  ['of a known length', (bytes: number) => ({ 'content-length': String(bytes) }), whole.indexOf('ø') + 1],
  ['in chunks', () => ({}), whole.indexOf('},') + 1],
] as const)('JSON %s that was cut is read again, and only then is an error', async ([, headers, end]) => {
  let cuts = 1;
  const { layer, stub } = await startBeforeStub(
    () => {
      const body = cuts > 0 ? whole.subarray(0, end) : whole;
      cuts -= 1;
      return { headers: headers(body.length), body };
    },
    { UPSTREAM_ATTEMPTS: '3' },
  );
  const query = '{ company { customers(first: 2) { nodes { displayName } } } }';

  const read = await layer.query(query);
  const calls = stub.requests.length;
  cuts = 9;
  const failed = await layer.query(query);

  expect(read.errors).toBeUndefined();
  expect(read.data.company.customers.nodes).toHaveLength(2);
  expect([calls, stub.requests.length]).toEqual([2, 5]);
  expect(failed.errors).toMatchObject([
    {
      message: 'The upstream responded with JSON that is incomplete or invalid.',
      extensions: { code: 'UPSTREAM_UNAVAILABLE' },
    },
  ]);
});

test.for(['<p>{</p>', `${whole}\xff`])('what is no beginning of JSON, %s, is read once', async (body) => {
  const { layer, stub } = await startBeforeStub(() => ({ body: Buffer.from(body, 'latin1') }), {
    UPSTREAM_ATTEMPTS: '3',
  });

  const { errors } = await layer.query('{ company { customers { nodes { displayName } } } }');

  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
  expect(stub.requests).toHaveLength(1);
});

test('a call that waits for a token in vain fails in time, and frees its slot', async () => {
  const { at, ann, read } = await calling([], { readTimeoutMs: 200, maxCallsPerCaller: 1 });
  const never = { ...ann, getToken: () => new Promise<string>(() => {}) };

  await expect(read(never)).rejects.toMatchObject({ code: 'UPSTREAM_TIMEOUT', delivery: 'notSent' });
  await read();
  expect(at).toHaveLength(1);
});

test('a write that waited longer than an attempt may take is sent, with its full own timeout', async () => {
  const { at, write } = await calling([{ status: 429, headers: { 'retry-after': '1' }, body: {} }], {
    writeTimeoutMs: 300,
  });

  await write();
  expect(at).toHaveLength(2);
  expect((at[1] ?? 0) - (at[0] ?? 0)).toBeGreaterThanOrEqual(1_000);
});
