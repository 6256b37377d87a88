import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { useSandbox } from './caller.ts';
import { addressOf, instanceCalls, localPart, subscription, version } from './operations-caller.ts';

// Long enough that the first look comes before the end, on a busy machine too.
const sandbox = useSandbox({ stepMs: 80 });
const { stop, start, read, until, follow, statusesUntil } = instanceCalls(sandbox);

/** Sends a path as it is, which fetch does not, and reads the headers in their own spelling. */
function sendRaw(method: string, path: string): Promise<{ status: number | undefined; headers: string[] }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(sandbox.url);
    const headers = { authorization: 'Bearer clerk' };
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      response.resume();
      resolve({ status: response.statusCode, headers: response.rawHeaders });
    });
    sent.on('error', reject).end();
  });
}

const path = /^\/subscriptions\/.+\/locations\/north\/operation(Statuses|Results)\/[^/?]+\?api-version=/;

describe('responses', () => {
  test('B.answer.1 A start needs no body and is answered like a stop', async () => {
    const reply = await start('app01');
    const last = (await follow(addressOf(reply))).at(-1);

    expect(reply).toMatchObject({ status: 202, text: '' });
    expect(last).toMatchObject({ status: 'Succeeded', percentComplete: 100 });
    expect(last.operations.map(({ name }: { name: string }) => name)).toEqual(['start-process', 'verify']);
    expect((await start('quick', {})).body).toMatchObject({ name: 'quick', status: 'Succeeded' });
  });

  test('B.answer.2 A start refuses the body of a stop', async () => {
    expect(await start('quick', { softStopTimeoutSeconds: 5 })).toMatchObject({
      status: 400,
      body: { error: { code: 'InvalidParameter', target: 'softStopTimeoutSeconds' } },
    });
  });

  test('B.answer.3 A 200 can be a failure, with the reason in the body', async () => {
    expect(await stop('quick-failed')).toMatchObject({
      status: 200,
      body: { name: 'quick-failed', status: 'Failed', error: { code: 'StopFailed' } },
    });
  });

  test('B.answer.4 A 200 can have no body', async () => {
    expect(await stop('mute')).toMatchObject({ status: 200, text: '' });
  });

  test('B.answer.5 Seconds beyond an int64 are 400', async () => {
    expect((await stop('quick', { softStopTimeoutSeconds: 2 ** 63 })).status).toBe(400);
    expect((await stop('quick', { softStopTimeoutSeconds: 2 ** 53 })).status).toBe(200);
  });
});

describe('Location', () => {
  test.each([
    ['B.location.1', 'located', 204],
    ['B.location.2', 'located-200', 200],
    ['B.location.3', 'located-409', 409],
  ])('%s The Location of %s is 202 without a body while running, then %i', async (_id, name, status) => {
    const reply = await stop(name);
    const location = reply.headers.get('location') ?? '';
    const seen = await until(location, (one) => one.status !== 202);

    expect(reply).toMatchObject({ status: 202, text: '' });
    expect(addressOf(reply)).toBe('');
    expect(localPart(location)).toMatch(path);
    expect(seen[0]).toMatchObject({ status: 202, text: '' });
    expect(seen.at(-1)?.status).toBe(status);
    if (status === 200) expect(seen.at(-1)?.body).toMatchObject({ name, status: 'Succeeded' });
    if (status === 409) expect(seen.at(-1)?.body).toMatchObject({ error: { code: 'StopFailed' } });
  });

  test('B.location.4 It can be the status URL itself, which fails with 200', async () => {
    const seen = await follow((await stop('located-status')).headers.get('location') ?? '');

    expect(seen.at(-1)).toMatchObject({ status: 'Failed', error: { code: 'StopFailed' } });
  });

  test('B.location.5 It can be sent beside the status URL', async () => {
    const reply = await stop('both');
    await follow(addressOf(reply));

    expect(await sandbox.get(reply.headers.get('location') ?? '')).toMatchObject({
      status: 200,
      body: { name: 'both', status: 'Succeeded' },
    });
  });

  test('B.location.6 It can be 202 after the status has ended', async () => {
    const reply = await stop('both-at-odds');
    expect((await follow(addressOf(reply))).at(-1).status).toBe('Succeeded');

    expect((await sandbox.get(reply.headers.get('location') ?? '')).status).toBe(202);
  });

  test('B.location.7 It is for the caller that started the operation only', async () => {
    const location = (await stop('located')).headers.get('location') ?? '';

    expect((await sandbox.get(location, { token: 'somebody-else' })).status).toBe(403);
  });
});

describe('status URLs', () => {
  test('B.address.1 The name of the header keeps its spelling', async () => {
    const { headers } = await sendRaw(
      'POST',
      `/subscriptions/${subscription}/resourceGroups/rg-north/providers/V/v/N01/applicationInstances/spelled/stop?${version}`,
    );

    expect(headers).toContain('azure-AsyncOperation');
  });

  test.each([
    ['B.address.2', 'elsewhere', /^https:\/\/eastus2euap\.management\.example\/subscriptions\//],
    ['B.address.3', 'elsewhere-443', /^https:\/\/eastus2euap\.management\.example:443\/subscriptions\//],
    ['B.address.4', 'posing', /^http:\/\/127\.0\.0\.1:\d+@decoy\.example\/subscriptions\//],
    ['B.address.5', 'schemeless', /^\/\/eastus2euap\.management\.example\/subscriptions\//],
    ['B.address.6', 'rooted', /^\/subscriptions\//],
    ['B.address.7', 'rootless', /^subscriptions\//],
  ])('%s The URL of %s works by its path and query', async (_id, name, form) => {
    const address = addressOf(await stop(name));

    expect(address).toMatch(form);
    expect(localPart(address)).toMatch(path);
    expect((await follow(address)).at(-1).status).toBe('Succeeded');
  });

  test('B.address.8 A URL of nearly 4 KB must be sent back byte for byte, its path included', async () => {
    const address = localPart(addressOf(await stop('long-address')));
    const statusOf = async (changed: string) => (await sendRaw('GET', changed)).status;
    const at = address.indexOf('*') + 1;
    const other = address[at] === 'A' ? 'B' : 'A';

    expect(address).toHaveLength(4_000);
    expect(await statusOf(address)).toBe(200);
    for (const changed of [
      address.replace('*', '%2A'),
      address.replace('operationStatuses', 'operationstatuses'),
      address.replace(/'/, '%27'),
      address.slice(0, -1),
      `${address}&`,
    ]) {
      expect(await statusOf(changed), changed.slice(0, 200)).toBe(403);
    }
    expect(await statusOf(address.slice(0, at) + other + address.slice(at + 1))).toBe(404);
  });

  test('B.address.9 A URL can be longer than 4 KB, or have another api-version', async () => {
    const older = addressOf(await stop('other-version'));

    expect(localPart(addressOf(await stop('too-long')))).toHaveLength(5_000);
    expect(older).toContain('?api-version=2021-12-01-preview&');
    expect((await sandbox.get(older)).status).toBe(200);
    expect((await sandbox.get(older.replace('2021-12-01-preview', '2023-04-01'))).status).toBe(400);
  });

  test('B.address.10 It can be replaced by the URL of a later response, and then returns no new status', async () => {
    const first = addressOf(await stop('moving'));
    const moved = await until(first, (one) => addressOf(one) !== '');
    const second = addressOf(moved.at(-1) ?? (await sandbox.get(first)));
    const seen = await follow(second);

    expect(second).not.toBe(first);
    expect(seen.at(-1)).toMatchObject({ status: 'Succeeded', percentComplete: 100 });
    const stale = await sandbox.get(first);
    expect(stale.body).toMatchObject({ status: 'InProgress', percentComplete: 40 });
    expect(addressOf(stale)).toBe(second);
  });
});

describe('refusals', () => {
  test('B.refusal.1 They have details and additional info at any depth', async () => {
    expect(await stop('conflict')).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'Conflict',
          target: 'properties.status',
          details: [
            {
              code: 'SapDbOpsNotInExpectedState',
              details: [{ code: 'DatabaseOffline' }],
              additionalInfo: [{ type: 'State', info: { expected: 'Running' } }],
            },
          ],
          additionalInfo: [{ type: 'PolicyViolation', info: { policy: { id: 7 } } }],
        },
      },
    });
  });

  test.each([
    ['B.refusal.2', 'forbidden', 403, 'AuthorizationFailed'],
    ['B.refusal.3', 'invalid', 400, 'InvalidParameter'],
    ['B.refusal.4', 'throttled', 429, 'SubscriptionRequestsThrottled'],
    ['B.refusal.5', 'broken', 500, 'InternalServerError'],
  ])('%s A stop of %s is %i, and nothing is done', async (_id, name, status, code) => {
    const reply = await stop(name);

    expect(reply).toMatchObject({ status, body: { error: { code, message: expect.any(String) } } });
    expect(reply.headers.get('retry-after')).toBe(status === 429 ? '1' : null);
    expect((await read(name)).properties.status).toBe('Running');
  });

  test('B.refusal.6 A refusal can carry a status URL, where the operation fails', async () => {
    const reply = await stop('refused-followed');

    expect(reply).toMatchObject({ status: 409, body: { error: { code: 'OperationNotAllowed' } } });
    expect((await follow(addressOf(reply))).at(-1).status).toBe('Failed');
  });

  test('B.refusal.7 A gateway can time out on a stop that is executed', async () => {
    const reply = await stop('gateway');

    expect(reply).toMatchObject({ status: 504, text: expect.stringContaining('<html>') });
    expect((await statusesUntil('gateway', 'Offline')).at(-1)).toBe('Offline');
  });
});
