import { createServer } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const items = `${company}/items?$top=1`;

const addFault = (fault: unknown) => sandbox.post('/sandbox/faults', fault);
const journal = async () => (await sandbox.get('/sandbox/journal')).body.requests;

describe('journal', () => {
  test('S.journal.1 Each request is recorded as it was received', async () => {
    await sandbox.post(`${company}/salesOrders?x=%2F&y=a+b`, { customerNumber: 'nobody' });
    const [entry] = await journal();

    expect(entry).toMatchObject({
      id: expect.any(Number),
      method: 'POST',
      path: `${company}/salesOrders?x=%2F&y=a+b`,
      body: '{"customerNumber":"nobody"}',
      status: 400,
      headers: { 'content-type': 'application/json' },
    });
    expect(new Date(entry.at).toISOString()).toBe(entry.at);
    expect(entry.durationMs).toBeGreaterThanOrEqual(0);
  });

  test('S.journal.2 Tokens are recorded as digests', async () => {
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

  test('S.journal.2 So are the keys of other headers', async () => {
    const headers = { 'proxy-authorization': 'Basic canary', 'x-api-key': 'canary' };
    await fetch(`${sandbox.url}${items}`, { headers });
    const [entry] = await journal();

    expect(entry.headers).toMatchObject({
      'proxy-authorization': expect.stringMatching(/^sha256:[0-9a-f]{12}$/),
      'x-api-key': expect.stringMatching(/^sha256:[0-9a-f]{12}$/),
    });
    expect(JSON.stringify(entry)).not.toContain('canary');
  });

  test('S.journal.3 It does not contain requests of the control API, and can be emptied', async () => {
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

describe('the sandbox itself', () => {
  test('S.index.1 The index lists what is available, without a token', async () => {
    const body = await (await fetch(`${sandbox.url}/sandbox`)).json();

    expect(body).toMatchObject({
      companies: [{ name: 'Harbour & Heath' }, { name: 'Fjordlys' }],
      instances: { virtualInstance: 'N01', names: expect.arrayContaining(['app01', 'fragile']) },
      events: expect.arrayContaining(['SI_1-QRT']),
    });
  });

  test('S.index.2 An unknown path under /sandbox/ is 404 and lists the others', async () => {
    const reply = await sandbox.get('/sandbox/else');

    expect(reply.status).toBe(404);
    expect(Object.keys(reply.body.available)).toContain('POST /sandbox/reset');
  });

  test('S.stop.1 stop() closes immediately, with open connections and waiting responses', async () => {
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

  test('S.start.1 A port in use rejects with the error of Node.js', async () => {
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
