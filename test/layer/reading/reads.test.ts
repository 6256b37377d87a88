import { describe, expect, onTestFinished, test } from 'vitest';
import { createReads, createSharedReads } from '../../../src/business/reading/reads.ts';
import { getDialect } from '../../../src/business/record-sets/dialect.ts';
import { createForwardedAccess } from '../../../src/http/auth/access.ts';
import { createUpstream } from '../../../src/http/upstream.ts';
import { plainWire } from '../../support/proxies/wire.ts';
import { type StubAnswer, type StubRequest, startStub } from '../../support/stub.ts';

/** Requests of several callers against one upstream. */
async function reading(answer: (request: StubRequest) => StubAnswer = ({ target }) => ({ body: [target] })) {
  const upstream = await startStub(answer);
  const { client } = createUpstream({
    upstream: 'business',
    url: upstream.url,
    maxAttempts: 1,
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
  });
  onTestFinished(async () => {
    await client.close();
    upstream.stop();
  });
  const inFlight = createSharedReads();
  const recentWrites = { mark() {}, markOf: () => 0, marks: () => 0 };
  const options = { client, inFlight, dialect: getDialect('dynamics'), recentWrites };
  const request = () => createReads(options, createForwardedAccess('business', 'ann', { principal: 'ann' }));
  return { upstream, request };
}

const root = '/api/v2.0/';
const partsOf = (body: string): { id: string; url: string }[] => JSON.parse(body).requests;

describe('a read', () => {
  test('after a write does not share a plain read, which a replica may answer', async () => {
    const { upstream, request } = await reading();
    const [writer, other] = [request(), request()];
    writer.invalidate();

    await Promise.all([other.get(`${root}a`), writer.get(`${root}a`)]);

    expect(upstream.requests.map(({ headers }) => headers['data-access-intent'])).toEqual([
      undefined,
      'ReadWrite',
    ]);
  });

  test('that is the only one at its root is sent by itself, beside the batch of another root', async () => {
    const { upstream, request } = await reading(({ target, body }) => ({
      body: body
        ? { responses: partsOf(body).map(({ id, url }) => ({ id, status: 200, body: [url] })) }
        : [target],
    }));
    const reads = request();

    const paths = ['a', 'b', 'c', 'd'].map((name) => root + name).concat('/api/v1.0/a');
    const answers = await Promise.all(paths.map((path) => reads.get(path)));

    expect(answers.map(({ body }) => body)).toEqual([['a'], ['b'], ['c'], ['d'], ['/api/v1.0/a']]);
    expect(upstream.requests.map(({ method, target }) => `${method} ${target}`).sort()).toEqual([
      'GET /api/v1.0/a',
      'POST /api/v2.0/$batch',
    ]);
  });

  test.each([
    ['of another kind', [{ valueOf: 1, toString: 1 }, null, '', [], '0x1', true, -1, 7, '00']],
    ['given twice', ['0', '0', 0]],
  ])('in a batch does not accept a response with an id %s as its own', async (_what, ids) => {
    const { request } = await reading(({ body }) => ({
      body: {
        responses: [
          ...(body ? partsOf(body) : []).map(({ id, url }) => ({ id, status: 200, body: [url] })),
          ...ids.map((id) => ({ id, status: 200, body: ['of nobody'] })),
        ],
      },
    }));
    const reads = request();

    const answers = await Promise.all(['a', 'b', 'c', 'd', 'e'].map((name) => reads.get(root + name)));

    expect(answers.map(({ body }) => body)).toEqual([['a'], ['b'], ['c'], ['d'], ['e']]);
  });

  test('repeatedly missing from batch responses is given up', async () => {
    const { upstream, request } = await reading(({ body }) => ({
      body: {
        responses: partsOf(body)
          .slice(0, 1)
          .map(({ id, url }) => ({ id, status: 200, body: [url] })),
      },
    }));
    const reads = request();

    const names = Array.from({ length: 12 }, (_, index) => `${root}${index}`);
    const answers = await Promise.allSettled(names.map((name) => reads.get(name)));

    expect(answers.filter(({ status }) => status === 'fulfilled')).toHaveLength(2);
    expect(upstream.requests).toHaveLength(2);
  });
});
