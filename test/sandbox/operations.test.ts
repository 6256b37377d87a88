import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';
import { addressOf, instanceCalls, instances, localPart, version } from './operations-caller.ts';

const stepMs = 40;
const sandbox = useSandbox({ stepMs });
const slow = useSandbox({ stepMs: 60_000 });
const { stop, start, until, follow } = instanceCalls(sandbox);
const { stop: stopSlowly } = instanceCalls(slow);

/** Sends a path as it is, which fetch does not, and reads the headers in their own spelling. */
function sendRaw(method: string, path: string): Promise<{ status: number | undefined; headers: string[] }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(sandbox.url);
    const options = { hostname, port, method, path, headers: { authorization: 'Bearer clerk' } };
    const sent = request(options, (response) => {
      response.resume();
      resolve({ status: response.statusCode, headers: response.rawHeaders });
    });
    sent.on('error', reject).end();
  });
}

describe('a stop', () => {
  test('B.stop.1 It is 202 without a body, with an absolute status URL, whose steps lead to 100 percent', async () => {
    const reply = await stopSlowly('app01', { softStopTimeoutSeconds: 3_600 });
    const { body: first } = await slow.get(addressOf(reply));
    const seen = await follow(addressOf(await stop('app01', { softStopTimeoutSeconds: 3_600 })));
    const last = seen.at(-1);

    expect(reply).toMatchObject({ status: 202, text: '' });
    expect(addressOf(reply)).toMatch(
      new RegExp(
        `^${slow.url}/subscriptions/.*/locations/north/operationStatuses/[0-9a-f-]{36}\\*[0-9A-F]{64}\\?${version}&t=\\S+&c=\\S+$`,
      ),
    );
    expect(first).toMatchObject({ status: 'Preparing System Configuration', percentComplete: 0 });
    expect(first.operations.map(({ name }: Json) => name)).toEqual([
      'soft-shutdown',
      'stop-process',
      'verify',
    ]);
    expect([0, 20, 40, 60, 80, 100]).toEqual(expect.arrayContaining(seen.map((one) => one.percentComplete)));
    expect(last).toMatchObject({ status: 'Succeeded', percentComplete: 100 });
    expect(Date.parse(last.endTime) - Date.parse(last.startTime)).toBe(5 * stepMs);
  });

  test.each<[string, string, number, Json]>([
    ['B.stop.4', 'quick', 200, { name: 'quick', status: 'Succeeded', error: null }],
    ['B.stop.8', 'silent', 202, undefined],
    ['B.stop.7', 'busy', 409, { error: { code: 'AnotherOperationInProgress', target: 'busy' } }],
    [
      'B.refusal.1',
      'conflict',
      409,
      { error: { code: 'Conflict', details: [{ details: [{ code: 'DatabaseOffline' }] }] } },
    ],
    ['B.refusal.7', 'gateway', 504, undefined],
  ])('%s One of %s is answered %i', async (_id, name, status, body) => {
    const reply = await stopSlowly(name);

    expect(reply.status).toBe(status);
    if (body) expect(reply.body).toMatchObject(body);
    else expect(reply.body).toBeUndefined();
    expect(addressOf(reply)).toBe('');
  });

  test.each([[{ softStopTimeoutSeconds: -1 }], [{ hard: true }]])(
    'B.param.13 A body %j is 400 and names the field',
    async (body) => {
      const [target] = Object.keys(body);

      expect(await stop('quick', body)).toMatchObject({
        status: 400,
        body: { error: { code: 'InvalidParameter', target, details: [{ target }] } },
      });
    },
  );

  test('B.answer.1 A start is answered like a stop, and refuses its body', async () => {
    const seen = await follow(addressOf(await start('app01')));

    expect(seen.at(-1).operations.map(({ name }: Json) => name)).toEqual(['start-process', 'verify']);
    expect((await start('quick', {})).body).toMatchObject({ name: 'quick', status: 'Succeeded' });
    expect((await start('quick', { softStopTimeoutSeconds: 5 })).status).toBe(400);
    for (const body of ['[]', '{', '7']) {
      const headers = { 'content-type': 'application/json' };
      const path = `${instances}/quick/stop?${version}`;
      expect((await sandbox.send('POST', path, { headers, body })).body.error.code).toBe(
        'InvalidRequestContent',
      );
    }
  });
});

describe('the end of an operation', () => {
  test.each<[string, string, Json]>([
    [
      'B.stop.6',
      'fragile',
      { status: 'Failed', percentComplete: 60, error: { code: 'StopFailed', details: [{}] } },
    ],
    ['B.word.1', 'canceled', { status: 'Canceled', error: { code: 'OperationPreempted' } }],
    ['B.word.5', 'status-null', { status: null }],
    ['B.body.6', 'bare', { status: 'Succeeded' }],
    ['B.state.6', 'overtime', { status: 'Failed', error: { code: 'OperationTimedOut' } }],
  ])('%s That of %s is %j', async (_id, name, body) => {
    await sandbox.post('/sandbox/instances', { stepMs: 2 });
    const seen = await follow(addressOf(await stop(name)));

    expect(seen.at(-1)).toMatchObject(body);
    if (name === 'bare') expect(Object.keys(seen.at(-1))).toEqual(['status']);
  });
});

describe('polls', () => {
  test.each([
    ['B.poll.1', 'late', [404, 200, 200]],
    ['B.poll.6', 'expiring', [200, 401, 401]],
  ])('%s Polls of %s are answered %j', async (_id, name, expected) => {
    const address = addressOf(await stopSlowly(name));
    const statuses: number[] = [];
    for (const _ of expected) statuses.push((await slow.get(address)).status);

    expect(statuses).toEqual(expected);
    if (name !== 'expiring') return;
    expect((await slow.get(address, { token: 'clerk~2' })).status).toBe(200);
    expect((await slow.get(address, { token: 'clerks' })).status).toBe(403);
  });

  test.each([
    ['B.location.1', 'located', 204],
    ['B.location.3', 'located-409', 409],
  ])(
    '%s The Location of %s is 202 while running, then %i, for its caller only',
    async (_id, name, status) => {
      const running = (await stopSlowly(name)).headers.get('location') ?? '';
      const { headers } = await stop(name);
      const seen = await until(headers.get('location') ?? '', (one) => one.status !== 202);

      expect(headers.has('vendor-asyncoperation')).toBe(false);
      expect(await slow.get(running)).toMatchObject({ status: 202, text: '' });
      expect((await slow.get(running, { token: 'somebody-else' })).status).toBe(403);
      expect(seen.at(-1)?.status).toBe(status);
    },
  );
});

describe('status URLs', () => {
  test.each([
    ['B.address.4', 'posing', /^http:\/\/127\.0\.0\.1:\d+@decoy\.example\/subscriptions\//],
    ['B.address.5', 'schemeless', /^\/\/eastus2euap\.management\.example\/subscriptions\//],
    ['B.address.9', 'other-version', /\?api-version=2021-12-01-preview&/],
  ])('%s The URL of %s works by its path and query', async (_id, name, form) => {
    const address = addressOf(await stopSlowly(name));

    expect(address).toMatch(form);
    expect((await slow.get(localPart(address))).body.percentComplete).toBe(0);
  });

  test('B.address.8 A URL of nearly 4 KB must be sent back byte for byte, its path included', async () => {
    const address = localPart(addressOf(await stop('long-address')));
    const statusOf = async (changed: string) => (await sendRaw('GET', changed)).status;

    expect([address.length, await statusOf(address)]).toEqual([4_000, 200]);
    for (const changed of [
      address.replace('*', '%2A'),
      address.replace('operationStatuses', 'operationstatuses'),
      address.replace(/'/, '%27'),
      address.slice(0, -1),
      `${address}&`,
    ])
      expect(await statusOf(changed), changed.slice(0, 200)).toBe(403);
    expect(localPart(addressOf(await stop('too-long')))).toHaveLength(5_000);
  });

  test('B.status.1 Only the caller who started the operation may read it, with a token and the api-version', async () => {
    const address = addressOf(await stopSlowly('app01'));
    const statusOf = async (token: string, url = address) => (await slow.get(url, { token })).status;

    expect(await statusOf('clerk')).toBe(200);
    expect(await statusOf('somebody-else')).toBe(403);
    expect(await statusOf('expired')).toBe(401);
    expect(await statusOf('clerk', address.replace(version, 'v=1'))).toBe(400);
    const unknown = await slow.get(address.replace(/[0-9a-f-]{36}\*/, 'x*'));
    expect(unknown).toMatchObject({ status: 404 });
    expect(unknown.body).toEqual({ error: { message: expect.any(String), details: [] } });
  });
});
