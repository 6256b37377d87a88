import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const items = `${company}/items?$top=1`;

const addFault = (fault: unknown) => sandbox.post('/sandbox/faults', fault);
const journal = async () => (await sandbox.get('/sandbox/journal')).body.requests;

describe('journal', () => {
  test('S.journal.1 Each request is written down as it was received', async () => {
    await sandbox.post(`${company}/salesOrders?x=%2F&y=a+b`, { customerNumber: 'nobody' });
    const [entry] = await journal();

    expect(entry).toMatchObject({
      id: 1,
      method: 'POST',
      path: `${company}/salesOrders?x=%2F&y=a+b`,
      body: '{"customerNumber":"nobody"}',
      status: 400,
      headers: { 'content-type': 'application/json' },
    });
    expect(new Date(entry.at).toISOString()).toBe(entry.at);
    expect(entry.durationMs).toBeGreaterThanOrEqual(0);
  });

  test('S.journal.2 Tokens are told apart but not shown', async () => {
    await sandbox.get(items, { token: 'secret-1' });
    await sandbox.get(items, { token: 'secret-2' });
    await sandbox.get(items, { token: 'secret-1' });
    const seen = (await journal()).map(
      (one: { headers: Record<string, string> }) => one.headers.authorization,
    );

    expect(seen[0]).toMatch(/^Bearer sha256:[0-9a-f]{12}$/);
    expect(seen[2]).toBe(seen[0]);
    expect(seen[1]).not.toBe(seen[0]);
  });

  test('S.journal.3 It does not hold requests to the sandbox itself, and can be emptied', async () => {
    await sandbox.get(items);
    expect(await journal()).toHaveLength(1);

    expect((await sandbox.send('DELETE', '/sandbox/journal')).status).toBe(204);
    expect(await journal()).toEqual([]);
  });
});

describe('reset', () => {
  test('S.reset.1 Records, operations, faults and journal are as at the start', async () => {
    const before = await sandbox.get(items);
    const [item] = before.body.value;
    const stop =
      '/subscriptions/11111111-2222-4333-8444-555555555555/resourceGroups/rg-north/providers/V/v/N01/applicationInstances/app01/stop?api-version=2023-04-01';
    const operation = (await sandbox.post(stop)).headers.get('vendor-asyncoperation') ?? '';
    await sandbox.patch(`${company}/items(${item.id})`, '*', { unitPrice: 1 });
    await addFault({ status: 503 });

    expect((await sandbox.post('/sandbox/reset')).status).toBe(204);

    expect(await journal()).toEqual([]);
    const after = await sandbox.get(items);
    expect(after.status).toBe(200);
    expect(after.body).toEqual(before.body);
    expect((await sandbox.get(operation)).status).toBe(404);
  });
});

describe('faults', () => {
  test('S.fault.1 A status is answered without carrying the request out, as often as asked', async () => {
    await addFault({
      method: 'post',
      path: '/salesOrders',
      times: 2,
      status: 429,
      headers: { 'Retry-After': '7' },
      body: { busy: true },
    });
    const [customer] = await sandbox.list(`${company}/customers?$top=1`);
    const create = () => sandbox.post(`${company}/salesOrders`, { customerId: customer.id });
    const count = async () => (await sandbox.get(`${company}/salesOrders/$count`)).text;

    const [first, second] = [await create(), await create()];
    expect(first).toMatchObject({ status: 429, body: { busy: true } });
    expect(first.headers.get('retry-after')).toBe('7');
    expect(second.status).toBe(429);
    expect(await count()).toBe('240');
    expect((await create()).status).toBe(201);
  });

  test('S.fault.2 Faults match by method and path and apply in the order they were set', async () => {
    await addFault({ path: '/customers', status: 500 });
    await addFault({ status: 502 });
    await addFault({ status: 503, body: 'down' });

    expect((await sandbox.get(items)).status).toBe(502);
    expect((await sandbox.get(`${company}/customers`)).status).toBe(500);
    expect(await sandbox.get(items)).toMatchObject({ status: 503, text: 'down' });
    expect((await sandbox.get(items)).status).toBe(200);
  });

  test('S.fault.3 A delay comes before the answer, after the request was carried out', async () => {
    const [item] = (await sandbox.get(items)).body.value;
    await addFault({ method: 'PATCH', delayMs: 300 });
    const startedAt = performance.now();
    const slow = sandbox.patch(`${company}/items(${item.id})`, '*', { unitPrice: 4.25 });
    await new Promise((resolve) => setTimeout(resolve, 100));

    expect((await sandbox.get(`${company}/items(${item.id})`)).body.unitPrice).toBe(4.25);
    expect((await slow).status).toBe(200);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(290);
  });

  test.each([
    ['before', false],
    ['after', true],
  ])('S.fault.4 A reset %s carrying the request out kills the connection', async (reset, isCarriedOut) => {
    const [item] = (await sandbox.get(items)).body.value;
    const path = `${company}/items(${item.id})`;
    await addFault({ method: 'PATCH', reset });

    await expect(sandbox.patch(path, '*', { unitPrice: 4.25 })).rejects.toThrow();
    expect((await sandbox.get(path)).body.unitPrice === 4.25).toBe(isCarriedOut);
    expect((await journal())[1]).toMatchObject({ method: 'PATCH', status: 0 });
  });

  test.each([0, 1, 40])(
    'S.fault.5 An answer cut at %i bytes has its full length in the headers',
    async (cutAt) => {
      await addFault({ cutAt });
      const response = await fetch(sandbox.url + items, { headers: { authorization: 'Bearer x' } });

      expect(response.status).toBe(200);
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(40);
      await expect(response.text()).rejects.toThrow();
    },
  );

  test('S.fault.6 A body of any size can be had', async () => {
    await addFault({ bytes: 2_000_000 });
    const reply = await sandbox.get(items);

    expect(reply.text).toHaveLength(2_000_000);
    expect(reply.body.trim()).toBe('');
  });

  test.each([[{ colour: 1 }], [{ status: 42 }], [{ times: -1 }], [{ reset: 'never' }], [[]], ['x']])(
    'S.fault.7 A fault %j is 400',
    async (fault) => {
      expect((await addFault(fault)).status).toBe(400);
    },
  );

  test('S.fault.8 Faults can be taken back', async () => {
    await addFault({ status: 500, times: 9 });
    expect((await sandbox.send('DELETE', '/sandbox/faults')).status).toBe(204);

    expect((await sandbox.get(items)).status).toBe(200);
  });
});

describe('the sandbox itself', () => {
  test('S.index.1 The index tells what there is, without a token', async () => {
    const body = await (await fetch(`${sandbox.url}/sandbox`)).json();

    expect(body).toMatchObject({
      companies: [{ name: 'Harbour & Heath' }, { name: 'Fjordlys' }],
      instances: { virtualInstance: 'N01', names: expect.arrayContaining(['app01', 'fragile']) },
      events: expect.arrayContaining(['SI_1-QRT']),
    });
  });

  test('S.index.2 An unknown address under /sandbox/ is 404 and lists the others', async () => {
    const reply = await sandbox.get('/sandbox/else');

    expect(reply.status).toBe(404);
    expect(Object.keys(reply.body.available)).toContain('POST /sandbox/reset');
  });

  test('S.stop.1 stop() closes at once, open connections and waiting answers included', async () => {
    const own = await startSandbox();
    await fetch(`${own.url}/sandbox/faults`, { method: 'POST', body: '{"delayMs":60000}' });
    const waiting = fetch(own.url + items, { headers: { authorization: 'Bearer x' } }).catch(() => 'closed');
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startedAt = performance.now();
    await own.stop();

    expect(performance.now() - startedAt).toBeLessThan(500);
    expect(await waiting).toBe('closed');
    await expect(fetch(`${own.url}/sandbox`)).rejects.toThrow();
  });

  test('S.start.1 A port in use is told as the error of node', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };

    await expect(startSandbox({ port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
    other.close();
  });

  test('S.start.2 Two sandboxes hold the same records and do not share them', async () => {
    const other = await startSandbox();
    const headers = { authorization: 'Bearer x' };
    const read = async () =>
      (await (await fetch(other.url + items, { headers })).json()) as { value: unknown[] };
    const [item] = await sandbox.list(items);
    await sandbox.patch(`${company}/items(${item.id})`, '*', { unitPrice: 1 });

    expect((await read()).value).toEqual([item]);
    await other.stop();
  });
});
