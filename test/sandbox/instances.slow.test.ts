import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { type Reply, useSandbox } from './caller.ts';

// Long enough that the first look at an operation comes before its first step ends, on a busy machine too.
const stepMs = 150;
const sandbox = useSandbox({ stepMs });
const slow = useSandbox({ stepMs: 2_500 });

const subscription = '11111111-2222-4333-8444-555555555555';
const base = `/subscriptions/${subscription}/resourceGroups/rg-north/providers/Vendor.Workloads/virtualInstances/N01/applicationInstances`;
const version = 'api-version=2023-04-01';

const stop = (name: string, body?: unknown) => sandbox.post(`${base}/${name}/stop?${version}`, body);
const followed = (reply: Reply) => reply.headers.get('vendor-asyncoperation') ?? '';

/** Every different answer of a status address, until the operation has ended. */
async function follow(address: string): Promise<Json[]> {
  const seen: Json[] = [];
  for (let n = 0; n < 200; n += 1) {
    const { status, body } = await sandbox.get(address);
    expect(status).toBe(200);
    if (seen.at(-1)?.percentComplete !== body.percentComplete || seen.at(-1)?.status !== body.status)
      seen.push(body);
    if (['Succeeded', 'Failed'].includes(body.status)) return seen;
    await sleep(5);
  }
  throw new Error('the operation does not end');
}

describe('stop', () => {
  test('B.stop.1 An accepted stop is 202 without a body, with an absolute status URL', async () => {
    const reply = await stop('app01');

    expect(reply).toMatchObject({ status: 202, text: '' });
    expect(followed(reply)).toMatch(
      new RegExp(
        `^${sandbox.url}/subscriptions/${subscription}/providers/Vendor\\.Workloads/locations/north/operationStatuses/[0-9a-f-]{36}\\*[0-9A-F]{64}\\?api-version=2023-04-01&t=\\S+&c=\\S+$`,
      ),
    );
  });

  test('B.stop.2 It runs in five steps to 100 percent, with start and end time', async () => {
    const seen = await follow(followed(await stop('app02')));
    const [first] = seen;
    const last = seen.at(-1);

    expect([0, 20, 40, 60, 80, 100]).toEqual(expect.arrayContaining(seen.map((one) => one.percentComplete)));
    expect(first).toMatchObject({ status: 'Preparing System Configuration', percentComplete: 0 });
    expect(first).not.toHaveProperty('endTime');
    expect(seen.some((one) => one.status === 'InProgress')).toBe(true);
    expect(last).toMatchObject({ status: 'Succeeded', percentComplete: 100, startTime: first.startTime });
    expect(Date.parse(last.endTime) - Date.parse(last.startTime)).toBe(5 * stepMs);
    expect(last).not.toHaveProperty('error');
    expect(last.id.endsWith(`/${last.name}`)).toBe(true);
    expect(last.operations.map((one: Json) => one.status)).toEqual(['Succeeded', 'Succeeded']);
  });

  test('B.stop.3 A soft stop shows the soft shutdown first and does not take longer', async () => {
    const seen = await follow(followed(await stop('app01', { softStopTimeoutSeconds: 3_600 })));

    expect(seen[0].operations.map((one: Json) => [one.name, one.status])).toEqual([
      ['soft-shutdown', 'InProgress'],
      ['stop-process', 'NotStarted'],
      ['verify', 'NotStarted'],
    ]);
    expect(seen.at(-1).operations.map((one: Json) => one.percentComplete)).toEqual([100, 100, 100]);
  });

  test('B.stop.4 A stop can be answered 200 with the final status and no status URL', async () => {
    const reply = await stop('quick', {});

    expect(reply.status).toBe(200);
    expect(followed(reply)).toBe('');
    expect(reply.body).toEqual({
      id: `${base}/quick`,
      name: 'quick',
      status: 'Succeeded',
      startTime: expect.any(String),
      endTime: expect.any(String),
      error: null,
    });
  });

  test('B.stop.5 A 200 can carry a status URL and still be running', async () => {
    const reply = await stop('tracked');

    expect(reply).toMatchObject({ status: 200, body: { status: 'InProgress', percentComplete: 0 } });
    expect((await follow(followed(reply))).at(-1).status).toBe('Succeeded');
  });

  test('B.stop.6 A stop can fail while it runs, and then reports why', async () => {
    const last = (await follow(followed(await stop('fragile')))).at(-1);

    expect(last).toMatchObject({
      status: 'Failed',
      percentComplete: 60,
      endTime: expect.any(String),
      error: {
        code: 'StopFailed',
        message: expect.any(String),
        target: 'fragile',
        details: [{ code: 'ProcessNotResponding' }],
        additionalInfo: [{ type: 'Diagnostics', info: { processId: 4711 } }],
      },
    });
  });

  test('B.stop.7 A stop can be refused with an ErrorResponse', async () => {
    expect(await stop('busy')).toMatchObject({
      status: 409,
      body: { error: { code: 'AnotherOperationInProgress', message: expect.any(String), target: 'busy' } },
    });
  });

  test('B.stop.8 A 202 can lack a status URL', async () => {
    const reply = await stop('silent');

    expect(reply).toMatchObject({ status: 202, text: '' });
    expect(reply.headers.has('vendor-asyncoperation')).toBe(false);
  });

  test('B.stop.9 A stopped instance may be stopped again', async () => {
    const first = followed(await stop('app01'));
    const second = followed(await stop('app01'));

    expect(second).not.toBe(first);
    expect((await follow(second)).at(-1).status).toBe('Succeeded');
  });
});

describe('parameters', () => {
  const path = `${base}/quick/stop`;

  test.each([
    ['B.param.1', 'without api-version', path, 400, 'MissingApiVersionParameter'],
    ['B.param.2', 'with an empty api-version', `${path}?api-version=`, 400, 'MissingApiVersionParameter'],
    [
      'B.param.3',
      'with another api-version',
      `${path}?api-version=2024-09-01`,
      400,
      'InvalidApiVersionParameter',
    ],
    [
      'B.param.4',
      'in a group of 91 characters',
      `${path.replace('rg-north', 'g'.repeat(91))}?${version}`,
      400,
      'InvalidParameter',
    ],
    [
      'B.param.5',
      'in a group without a name',
      `${path.replace('rg-north', '')}?${version}`,
      400,
      'InvalidParameter',
    ],
    [
      'B.param.6',
      'in an unknown group of 90 characters',
      `${path.replace('rg-north', 'g'.repeat(90))}?${version}`,
      404,
      'ResourceGroupNotFound',
    ],
    [
      'B.param.7',
      'in an unknown subscription',
      `${path.replace('1111', '2222')}?${version}`,
      404,
      'SubscriptionNotFound',
    ],
    [
      'B.param.8',
      'of an unknown virtual instance',
      `${path.replace('N01', 'N02')}?${version}`,
      404,
      'ParentResourceNotFound',
    ],
    [
      'B.param.9',
      'of an unknown instance',
      `${path.replace('quick', 'app99')}?${version}`,
      404,
      'ResourceNotFound',
    ],
    ['B.param.10', 'of nothing', `${path}/now?${version}`, 404, 'InvalidResourceType'],
  ])('%s A stop %s is refused in the nested form', async (_id, _what, address, status, code) => {
    const { status: given, body } = await sandbox.post(address);

    expect(given).toBe(status);
    expect(body.error).toMatchObject({ code, message: expect.any(String), details: expect.any(Array) });
  });

  test('B.param.11 The resource group is compared without regard to case', async () => {
    expect((await sandbox.post(`${path.replace('rg-north', 'RG-North')}?${version}`)).status).toBe(200);
  });

  test('B.param.12 Namespace and segment are those of the vendor', async () => {
    const address = path.replace('Vendor.Workloads/virtualInstances', 'Acme.Systems/acmeInstances');

    expect((await sandbox.post(`${address}?${version}`)).body.id).toContain(
      '/Acme.Systems/acmeInstances/N01/',
    );
  });

  test.each([
    [{ softStopTimeoutSeconds: -1 }],
    [{ softStopTimeoutSeconds: 1.5 }],
    [{ softStopTimeoutSeconds: '5' }],
    [{ hard: true }],
  ])('B.param.13 A body %j is 400 and names the field', async (body) => {
    const [field] = Object.keys(body);

    expect(await stop('quick', body)).toMatchObject({
      status: 400,
      body: { error: { code: 'InvalidParameter', target: field, details: [{ target: field }] } },
    });
  });

  test.each(['[]', '{', '7'])('B.param.14 A body %s is 400', async (body) => {
    const headers = { 'content-type': 'application/json' };

    expect(await sandbox.send('POST', `${path}?${version}`, { headers, body })).toMatchObject({
      status: 400,
      body: { error: { code: 'InvalidRequestContent' } },
    });
  });

  test('B.param.15 Other methods than POST are 405', async () => {
    expect(await sandbox.get(`${path}?${version}`)).toMatchObject({ status: 405, body: { error: {} } });
  });
});

describe('status', () => {
  test('B.status.1 Only the caller who started the operation may read it', async () => {
    const address = followed(await stop('app01'));

    expect(await sandbox.get(address, { token: 'somebody-else' })).toMatchObject({
      status: 403,
      body: { error: { code: 'AuthorizationFailed' } },
    });
    expect((await sandbox.get(address)).status).toBe(200);
  });

  test('B.status.2 The status URL must be sent back byte for byte', async () => {
    const address = followed(await stop('app01'));
    const printedAnew = new URL(address);
    printedAnew.search = printedAnew.searchParams.toString();

    expect(printedAnew.href).not.toBe(address);
    expect((await sandbox.get(printedAnew.href)).status).toBe(403);
    expect((await sandbox.get(address.replace(/&c=.*/, ''))).status).toBe(403);
    expect((await sandbox.get(`${address}&x=1`)).status).toBe(403);
  });

  test('B.status.3 An unknown operation is 404 with a message and no code', async () => {
    const reply = await sandbox.get(
      `/subscriptions/${subscription}/providers/Vendor.Workloads/locations/north/operationStatuses/x*y?${version}`,
    );

    expect(reply.status).toBe(404);
    expect(reply.body).toEqual({ error: { message: expect.any(String), details: [] } });
  });

  test('B.status.4 A running operation returns Retry-After in whole seconds, if a step takes one', async () => {
    const started = await slow.post(`${base}/app01/stop?${version}`);
    const paced = await slow.get(followed(started));
    const quick = await sandbox.get(followed(await stop('app01')));

    expect(paced.headers.get('retry-after')).toBe('2');
    expect(quick.headers.has('retry-after')).toBe(false);
  });

  test('B.status.5 A status needs a token and the api-version', async () => {
    const address = followed(await stop('app01'));

    expect((await sandbox.get(address, { token: 'expired' })).status).toBe(401);
    expect((await sandbox.get(address.replace(version, 'v=1'))).status).toBe(400);
  });
});
