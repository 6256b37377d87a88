import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';
import { addressOf, instanceCalls } from './operations-caller.ts';

const sandbox = useSandbox();
const customers = `${company}/customers`;
const items = `${company}/items?$top=1`;
const create = (displayName: string) => sandbox.post(customers, { displayName });

describe('journal', () => {
  test('S.journal.1 Each request is recorded as it was received, until it is emptied; those of /sandbox are not', async () => {
    await sandbox.post(`${company}/salesOrders?x=%2F&y=a+b`, { customerNumber: 'nobody' });
    const [entry, ...others] = await sandbox.journal();

    expect(others).toEqual([]);
    expect(entry).toMatchObject({
      id: expect.any(Number),
      method: 'POST',
      path: `${company}/salesOrders?x=%2F&y=a+b`,
      body: '{"customerNumber":"nobody"}',
      status: 400,
      headers: { 'content-type': 'application/json' },
    });
    expect((await sandbox.send('DELETE', '/sandbox/journal')).status).toBe(204);
    expect(await sandbox.journal()).toEqual([]);
  });

  test('S.journal.2 Tokens and keys in headers are recorded as digests', async () => {
    const headers = { 'proxy-authorization': 'Basic canary', 'x-api-key': 'canary' };
    for (const token of ['canary-1', 'canary-2', 'canary-1']) await sandbox.get(items, { token, headers });
    const entries = await sandbox.journal();
    const [one, two, three] = entries.map((entry) => entry.headers.authorization);

    expect(one).toMatch(/^Bearer sha256:[0-9a-f]{12}$/);
    expect([three === one, two === one]).toEqual([true, false]);
    for (const name of Object.keys(headers))
      expect(entries[0].headers[name]).toMatch(/^sha256:[0-9a-f]{12}$/);
    expect(JSON.stringify(entries)).not.toContain('canary');
  });
});

describe('records as they are stored', () => {
  test('S.records.1 They show how often each was written, with its lines; deleted ones are not there', async () => {
    const { id } = (await create('Brindle Trading')).body;
    await sandbox.patch(`${customers}(${id})`, '*', { city: 'Oslo' });
    await sandbox.patch(`${customers}(${id})`, 'W/"stale"', { city: 'Bergen' });
    const [first, second] = await sandbox.list(`${company}/salesOrders?$top=2`);
    await sandbox.send('DELETE', `${company}/salesOrders(${first.id})`);
    const [stored, orders] = [await sandbox.stored(), await sandbox.stored('salesOrders')];

    expect(stored).toHaveLength(301);
    expect(stored.at(-1)).toMatchObject({ id, version: 2, values: { city: 'Oslo' }, lines: [] });
    expect(orders.find((one) => one.id === second.id)).toMatchObject({
      version: 1,
      etag: second['@odata.etag'],
      lines: [{ documentId: second.id }, ...Array(second.documentLines.length - 1).fill({})],
    });
    expect(orders.some((one) => one.id === first.id)).toBe(false);
    for (const query of ['', '?set=unicorns', '?set=salesOrderLines'])
      expect((await sandbox.get(`/sandbox/records${query}`)).body.error.message).toContain('customers');
  });
});

describe('a replica that lags behind', () => {
  const primary = { headers: { 'data-access-intent': 'ReadWrite' } };
  const lag = (isLagging: unknown) => sandbox.post('/sandbox/replica', { isLagging });

  test('A.replica.1 Plain reads return the state when the replica stopped; others, and writes, see every write', async () => {
    const record = await sandbox.first('customers');
    const path = `${customers}(${record.id})`;
    expect((await lag(true)).status).toBe(204);
    const made = await create('New');
    await sandbox.patch(path, record['@odata.etag'], { city: 'Oslo' });

    expect((await sandbox.get(path)).body).toMatchObject(record);
    expect((await sandbox.get(path, primary)).body.city).toBe('Oslo');
    expect((await sandbox.patch(path, record['@odata.etag'], {})).status).toBe(412);
    expect((await sandbox.get(`${customers}(${made.body.id})`)).status).toBe(404);
    expect([await sandbox.count(customers), await sandbox.count(customers, primary)]).toEqual([300, 301]);
    expect((await sandbox.stored()).at(-1).id).toBe(made.body.id);
  });
});

describe('the sandbox itself', () => {
  test('S.reset.1 After a reset records, operations, faults and journal are as at the start', async () => {
    const before = await sandbox.first('items');
    const operation = addressOf(await instanceCalls(sandbox).stop('app01'));
    await sandbox.patch(`${company}/items(${before.id})`, '*', { unitPrice: 1 });
    await sandbox.fault({ status: 503 });
    expect((await sandbox.post('/sandbox/reset')).status).toBe(204);

    expect(await sandbox.journal()).toEqual([]);
    expect(await sandbox.first('items')).toEqual(before);
    expect((await sandbox.get(operation)).status).toBe(404);
  });

  test('S.index.1 The index lists what is available, without a token; an unknown path is 404', async () => {
    const index = (await (await fetch(`${sandbox.url}/sandbox`)).json()) as Json;
    const unknown = await sandbox.get('/sandbox/else');
    expect(index).toMatchObject({
      companies: [{ name: 'Harbour & Heath' }, { name: 'Fjordlys' }],
      instances: { virtualInstance: 'N01', names: expect.arrayContaining(['app01', 'fragile']) },
      events: expect.arrayContaining(['SI_1-QRT']),
    });
    expect(index.available).toHaveProperty('POST /sandbox/faults');
    expect([unknown.status, unknown.body.available]).toEqual([404, index.available]);
    expect((await sandbox.get('/elsewhere')).status).toBe(404);
  });

  test('S.stop.1 stop() closes immediately, with open connections and waiting responses', async () => {
    const own = await startSandbox();
    await fetch(`${own.url}/sandbox/faults`, { method: 'POST', body: '{"delayMs":60000}' });
    const waiting = fetch(own.url + items, { headers: { authorization: 'Bearer x' } }).catch(() => 'closed');
    const journal = async () => ((await (await fetch(`${own.url}/sandbox/journal`)).json()) as Json).requests;
    await expect.poll(journal).toHaveLength(1);
    await own.stop();

    expect(await waiting).toBe('closed');
    await expect(fetch(`${own.url}/sandbox`)).rejects.toThrow();
  });
});

describe('pages of other origins', () => {
  /** Sends a request with any headers, also those that `fetch` sets by itself. */
  function send(path: string, headers: Readonly<Record<string, string>>): Promise<number> {
    const { hostname, port } = new URL(sandbox.url);
    const method = path === '/sandbox/reset' ? 'POST' : 'GET';
    return new Promise((resolve, reject) => {
      request({ hostname, port, method, path, headers }, (response) => {
        resolve(response.statusCode ?? 0);
        response.destroy();
      })
        .once('error', reject)
        .end();
    });
  }

  test.each([
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' },
    { origin: 'https://example.com', 'content-type': 'text/plain' },
    { origin: 'null' },
    { host: 'rebound.example', origin: 'http://rebound.example', 'sec-fetch-site': 'same-origin' },
    { host: '127.0.0.1.example' },
  ])('S.access.1 A request with %j is refused', async (headers) => {
    expect(await send('/sandbox/reset', headers as Record<string, string>)).toBe(403);
    expect(await send('/sandbox/journal', headers as Record<string, string>)).toBe(403);
  });

  test('S.access.5 Programs, links to the sandbox, and its own pages may do everything', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html' };
    expect(await send('/sandbox', link)).toBe(200);
    expect(await send('/sandbox/reset', link)).toBe(403);
    expect(await send('/sandbox/reset', {})).toBe(204);
    expect(await send('/sandbox/reset', { origin: sandbox.url, 'sec-fetch-site': 'same-origin' })).toBe(204);
    for (const host of ['localhost', 'localhost:4100', 'sandbox.localhost', '127.0.0.1:1', '[::1]:4100'])
      expect(await send('/sandbox/reset', { host }), host).toBe(204);
  });
});
