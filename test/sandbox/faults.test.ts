import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const items = `${company}/items?$top=1`;

const addFault = (fault: unknown) => sandbox.post('/sandbox/faults', fault);
const journal = async () => (await sandbox.get('/sandbox/journal')).body.requests;

describe('faults', () => {
  test('S.fault.1 A fault with a status prevents the execution, as often as times says', async () => {
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
    const count = () => sandbox.count(`${company}/salesOrders`);

    const [first, second] = [await create(), await create()];
    expect(first).toMatchObject({ status: 429, body: { busy: true } });
    expect(first.headers.get('retry-after')).toBe('7');
    expect(second.status).toBe(429);
    expect(await count()).toBe(240);
    expect((await create()).status).toBe(201);
  });

  test('S.fault.2 Faults match by method and path and apply in the order in which they were set', async () => {
    await addFault({ path: '/customers', status: 500 });
    await addFault({ status: 502 });
    await addFault({ status: 503, body: 'down' });

    expect((await sandbox.get(items)).status).toBe(502);
    expect((await sandbox.get(`${company}/customers`)).status).toBe(500);
    expect(await sandbox.get(items)).toMatchObject({ status: 503, text: 'down' });
    expect((await sandbox.get(items)).status).toBe(200);
  });

  test('S.fault.3 A delay is applied after the execution and before the response', async () => {
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
  ])('S.fault.4 A reset %s executing the request kills the connection', async (reset, isCarriedOut) => {
    const [item] = (await sandbox.get(items)).body.value;
    const path = `${company}/items(${item.id})`;
    await addFault({ method: 'PATCH', reset });

    await expect(sandbox.patch(path, '*', { unitPrice: 4.25 })).rejects.toThrow();
    expect((await sandbox.get(path)).body.unitPrice === 4.25).toBe(isCarriedOut);
    expect((await journal())[1]).toMatchObject({ method: 'PATCH', status: 0 });
  });

  test.each([0, 1, 40])(
    'S.fault.5 A response cut at %i bytes has its full length in the headers',
    async (cutAt) => {
      await addFault({ cutAt });
      const response = await fetch(sandbox.url + items, { headers: { authorization: 'Bearer x' } });

      expect(response.status).toBe(200);
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(40);
      await expect(response.text()).rejects.toThrow();
    },
  );

  test('S.fault.6 A fault can send a body of any size', async () => {
    await addFault({ bytes: 2_000_000 });
    const reply = await sandbox.get(items);

    expect(reply.text).toHaveLength(2_000_000);
    expect(reply.body.trim()).toBe('');
  });

  test.each([
    [{ colour: 1 }],
    [{ status: 42 }],
    [{ times: -1 }],
    [{ reset: 'never' }],
    [{ after: 1 }],
    [[]],
    ['x'],
  ])('S.fault.7 A fault %j is 400', async (fault) => {
    expect((await addFault(fault)).status).toBe(400);
  });

  test('S.fault.8 Faults can be removed', async () => {
    await addFault({ status: 500, times: 9 });
    expect((await sandbox.send('DELETE', '/sandbox/faults')).status).toBe(204);

    expect((await sandbox.get(items)).status).toBe(200);
  });

  test.each([
    [false, 'before it is carried out'],
    [true, 'after it was carried out'],
  ])('S.fault.9 With after: %j an error is returned %s', async (after) => {
    const [item] = (await sandbox.get(items)).body.value;
    const path = `${company}/items(${item.id})`;
    await addFault({ method: 'PATCH', status: 502, after, body: 'bad gateway', headers: { Via: 'gw' } });
    const reply = await sandbox.patch(path, '*', { unitPrice: 4.25 });

    expect(reply).toMatchObject({ status: 502, text: 'bad gateway' });
    expect(reply.headers.get('via')).toBe('gw');
    expect((await sandbox.get(path)).body.unitPrice === 4.25).toBe(after);
    expect((await journal())[1]).toMatchObject({ method: 'PATCH', status: 502 });
  });

  test('S.fault.10 A lost response has no body and no status URL', async () => {
    await addFault({ method: 'POST', status: 504, after: true });
    const reply = await sandbox.post(`${company}/customers`, { displayName: 'Brindle Trading' });

    expect(reply).toMatchObject({ status: 504, text: '' });
    expect(reply.headers.get('location')).toBeNull();
    expect(await sandbox.list(`${company}/customers?$filter=displayName eq 'Brindle Trading'`)).toHaveLength(
      1,
    );
  });

  test('S.fault.11 A cut or delayed response to a DELETE is sent after its execution', async () => {
    const employees = await sandbox.list(`${company}/employees?$top=2`);
    await addFault({ method: 'DELETE', cutAt: 0 });
    await addFault({ method: 'DELETE', delayMs: 20 });
    for (const { id } of employees) {
      const path = `${company}/employees(${id})`;
      expect((await sandbox.send('DELETE', path)).status).toBe(204);
      expect((await sandbox.get(path)).status).toBe(404);
    }
  });

  test('S.fault.12 A fault is added by its kind, for an area, and other fields take precedence', async () => {
    await addFault({ kind: 'throttle', area: 'health' });
    await addFault({ kind: 'error503', area: 'business', status: 502 });

    expect(await sandbox.get(items)).toMatchObject({
      status: 502,
      body: { error: { code: 'ServiceUnavailable' } },
    });
    const throttled = await sandbox.get('/providers/Vendor.Health/events?api-version=2025-05-01');
    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await journal()).map(({ fault }: Json) => fault)).toEqual(['error503', 'throttle']);
  });

  test('S.fault.13 Faults are listed with the times they have left, and removed one by one', async () => {
    await addFault({ kind: 'error500', path: '/items', times: 2 });
    await addFault({ status: 503, path: '/customers' });
    await sandbox.get(items);
    const list = async () => (await sandbox.get('/sandbox/faults')).body.faults;
    const [first, second] = await list();

    expect([first, second]).toMatchObject([
      { kind: 'error500', path: '/items', times: 1 },
      { status: 503, path: '/customers', times: 1 },
    ]);
    expect((await sandbox.send('DELETE', `/sandbox/faults?id=${first.id}`)).status).toBe(204);
    expect((await sandbox.get(items)).status).toBe(200);
    expect((await sandbox.send('DELETE', `/sandbox/faults?id=${first.id}`)).status).toBe(400);
    await sandbox.get(`${company}/customers`);
    expect(await list()).toEqual([]);
  });

  test.each([
    { kind: 'nothing' },
    { area: 'elsewhere', status: 500 },
    { headers: 'a: b' },
    { delayMs: 600_001 },
    { lateMs: 600_001 },
    { kind: 'slow', slowMs: 600_001 },
  ])('S.fault.14 %j is 400', async (fault) => {
    expect((await addFault(fault)).status).toBe(400);
  });
});
