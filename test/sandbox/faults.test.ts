import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, companyPart as root, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const { fault, journal } = sandbox;
const customers = `${company}/customers`;
const list = `${customers}?$top=1`;
const id = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';
const json = { 'content-type': 'application/json' };
const goOn = { prefer: 'odata.continue-on-error' };

const create = (displayName: string) => sandbox.post(customers, { displayName });
/** How many customers were created since the last reset. */
const made = async () => (await sandbox.stored()).length - 300;
const part = (displayName: string) => ({
  id: displayName,
  method: 'POST',
  url: `${root}/customers`,
  headers: json,
  body: { displayName },
});
const parts = ['First', 'Second', 'Third'].map(part);
const chaos = (settings: unknown) => sandbox.post('/sandbox/chaos', settings);
const kindsMet = async () => (await journal()).map(({ chaos: kind }) => kind);

describe('faults', () => {
  test.each<[string, object, number, number | undefined]>([
    ['S.fault.1', { status: 503 }, 0, 503],
    ['S.fault.9', { status: 503, after: true }, 1, 503],
    ['S.fault.4', { reset: 'before' }, 0, undefined],
    ['S.fault.5', { cutAt: 40 }, 1, undefined],
    ['S.fault.3', { delayMs: 30 }, 1, 201],
    ['S.late.1', { lateMs: 30 }, 1, 201],
    ['S.repeat.1', { repeat: true }, 2, 201],
  ])(
    '%s %j of a create: it is executed %i times and answered %j, and so is a batch',
    async (_id, given, times, status) => {
      await fault({ method: 'POST', path: '/customers', ...given });
      const startedAt = performance.now();
      const reply = await create('Brindle Trading').catch(() => undefined);

      expect([reply?.status, await made()]).toEqual([status, times]);
      if ('delayMs' in given || 'lateMs' in given)
        expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
      expect((await journal())[0]).toMatchObject({ method: 'POST', status: status ?? expect.any(Number) });
      expect((await create('Calm')).status).toBe(201);
      await fault({ path: '$batch', ...given });
      const whole = await sandbox.batch(parts).catch(() => undefined);
      expect([whole?.status, await made()]).toEqual([status === 201 ? 200 : status, times + 1 + times * 3]);
    },
  );

  test('S.fault.1 A fault has headers and a body, and applies as often as times says', async () => {
    await fault({
      method: 'post',
      times: 2,
      status: 429,
      headers: { 'Retry-After': '7' },
      body: { busy: true },
    });
    const [first, second, third] = [await create('A'), await create('B'), await create('C')];

    expect(first).toMatchObject({ status: 429, body: { busy: true } });
    expect([first.headers.get('retry-after'), second.status, third.status]).toEqual(['7', 429, 201]);
    await fault({ bytes: 2_000_000 });
    expect((await sandbox.get(list)).text).toHaveLength(2_000_000);
  });

  test('S.fault.2 Faults match by method, path and area, apply in their order, and can be removed', async () => {
    await fault({ path: '/employees', status: 500 });
    await fault({ kind: 'throttle', area: 'health' });
    await fault({ kind: 'error503', area: 'business', status: 502 });
    await fault({ status: 418, times: 3 });
    const listed = async () => (await sandbox.get('/sandbox/faults')).body.faults;
    const health = await sandbox.get('/providers/Vendor.Health/events?api-version=2025-05-01');

    expect([(await sandbox.get(list)).status, (await sandbox.get(list)).status]).toEqual([502, 418]);
    expect([health.status, health.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await journal()).map((one) => one.fault)).toEqual(['throttle', 'error503', 'custom']);
    const [first, last] = await listed();
    expect([first, last]).toMatchObject([
      { path: '/employees', times: 1 },
      { status: 418, times: 2 },
    ]);
    expect((await sandbox.send('DELETE', `/sandbox/faults?id=${first.id}`)).status).toBe(204);
    expect((await sandbox.send('DELETE', `/sandbox/faults?id=${first.id}`)).status).toBe(400);
    expect((await sandbox.send('DELETE', '/sandbox/faults')).status).toBe(204);
    expect([await listed(), (await sandbox.get(list)).status]).toEqual([[], 200]);
  });

  test.each([[{ status: 42 }], [{ kind: 'nothing' }], [{ part: true, missing: 'after' }], [[]]])(
    'S.fault.7 A fault %j is 400',
    async (given) => {
      expect((await fault(given)).status).toBe(400);
    },
  );

  test('S.unseen.1 A new record is returned by no read for a while, though a write finds it', async () => {
    await fault({ method: 'POST', path: '/customers', unseenMs: 60_000 });
    await sandbox.post(customers, { id, displayName: 'Unseen' });

    expect(await sandbox.list(`${customers}?$filter=displayName eq 'Unseen'`)).toEqual([]);
    expect((await sandbox.get(`${customers}(${id})`)).body.error.code).toBe('Internal_RecordNotFound');
    expect((await sandbox.patch(`${customers}(${id})`, '*', { city: 'Oslo' })).status).toBe(200);
    await sandbox.send('DELETE', `${customers}(${id})`);
    await fault({ method: 'POST', path: '/customers', unseenMs: 20 });
    await sandbox.post(customers, { id, displayName: 'Unseen' });
    await expect.poll(async () => (await sandbox.get(`${customers}(${id})`)).status).toBe(200);
  });
});

describe('requests that are executed late', () => {
  /** Sends a write and hangs up as soon as the sandbox has it. */
  async function sendAndHangUp(method: string, path: string, body?: unknown): Promise<void> {
    const known = (await journal()).length;
    const caller = new AbortController();
    const sent = fetch(sandbox.url + path, {
      method,
      signal: caller.signal,
      headers: { authorization: 'Bearer clerk', accept: 'application/json', 'if-match': '*', ...json },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const failed = expect(sent).rejects.toThrow();
    await expect.poll(async () => (await journal()).length, { interval: 5 }).toBe(known + 1);
    caller.abort();
    await failed;
  }

  test('S.late.2 A POST, a PATCH, a DELETE and a batch are executed although their callers have disconnected', async () => {
    const [changed, removed] = await sandbox.list(`${customers}?$top=2`);
    const ofBatch = id.replace('0', '1');
    const ids = [id, changed.id, removed.id, ofBatch];
    /** How often each customer was written; what is not there was written 0 times. */
    const versions = async () => {
      const stored = new Map((await sandbox.stored()).map((one) => [one.id, one.version]));
      return ids.map((one) => stored.get(one) ?? 0);
    };
    await fault({ times: 4, lateMs: 300 });
    await sendAndHangUp('POST', customers, { id, displayName: 'Late' });
    await sendAndHangUp('PATCH', `${customers}(${changed.id})`, { city: 'Oslo' });
    await sendAndHangUp('DELETE', `${customers}(${removed.id})`);
    const { body, ...rest } = part('Late part');
    await sendAndHangUp('POST', '/api/v2.0/$batch', {
      requests: [{ ...rest, body: { ...body, id: ofBatch } }],
    });

    await expect.poll(versions).toEqual([1, 2, 0, 1]);
  });

  test('S.late.3 A late write sees what was written in the meantime, and is not executed after a reset', async () => {
    const record = await sandbox.first('customers');
    const path = `${customers}(${record.id})`;
    const change = (city: string) => sandbox.patch(path, record['@odata.etag'], { city });
    await fault({ method: 'PATCH', lateMs: 300 });
    const late = change('Bergen');
    await expect.poll(async () => (await journal()).length, { interval: 5 }).toBe(2);
    expect([(await change('Oslo')).status, (await late).status]).toEqual([200, 412]);

    await fault({ method: 'POST', lateMs: 250 });
    const lost = expect(create('Late')).rejects.toThrow();
    await expect.poll(async () => (await journal()).length).toBe(4);
    await sandbox.post('/sandbox/reset');
    await lost;
    expect([await made(), await journal()]).toEqual([0, []]);
  });
});

describe('faults of parts of a batch', () => {
  test.each<[string, object, (number | undefined)[], number]>([
    ['S.batch.2', { status: 429 }, [429, 201], 1],
    ['S.batch.5', { status: 500, after: true }, [500, 201], 2],
    ['S.batch.7', { missing: 'before' }, [undefined, 201], 1],
    ['S.batch.3', { body: 'not JSON' }, [201, 201], 2],
  ])('%s %j meets one part and not the others, nor a single request', async (_id, given, statuses, times) => {
    await fault({ part: true, method: 'POST', ...given });
    await fault({ path: '/customers', status: 500 });
    const { body } = await sandbox.batch(parts.slice(0, 2), goOn);
    const answers = new Map(body.responses.map((one: Json) => [one.id, one.status]));

    expect([answers.get('First'), answers.get('Second')]).toEqual(statuses);
    expect(await made()).toBe(times);
    expect((await create('Single')).status).toBe(500);
  });
});

describe('chaos', () => {
  test.each<[string, number, number | undefined]>([
    ['resetAfter', 1, undefined],
    ['error500After', 1, 500],
    ['throttle', 0, 429],
    ['late', 1, 201],
  ])(
    'S.chaos.2 %s: a write is executed %i times, with the response %j, and reads are not disturbed',
    async (kind, times, status) => {
      await chaos({ rate: 1, kinds: [kind], slowMs: 30 });
      const startedAt = performance.now();
      const reply = await create('Chaotic').catch(() => undefined);

      expect([reply?.status, await made(), await kindsMet()]).toEqual([status, times, [kind]]);
      if (status === 201) expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
      expect((await sandbox.get(list)).status).toBe(200);
      expect((await sandbox.batch([{ method: 'GET', url: 'companies' }])).status).toBe(200);
      if (kind !== 'error500') return;
      await sandbox.fault({ method: 'POST', status: 418 });
      expect((await create('Chaotic')).status).toBe(418);
    },
  );

  test('S.chaos.18 Chaos of a path meets the parts of that path: one that is omitted is executed', async () => {
    const requests = parts.map((one, index) =>
      index === 1 ? { ...one, url: `${one.url}?$select=id` } : one,
    );
    await chaos({ rate: 1, kinds: ['omitted'], path: '$select' });
    const { body } = await sandbox.batch(requests, goOn);

    expect(body.responses.map((one: Json) => `${one.id} ${one.status}`)).toEqual(['First 201', 'Third 201']);
    expect(await made()).toBe(3);
  });

  test('S.chaos.1 The same seed and order give the same faults, another seed gives others', async () => {
    const runs: string[] = [];
    for (const seed of [7, 7, 8]) {
      await sandbox.post('/sandbox/reset');
      await chaos({ seed, rate: 0.5, slowMs: 1 });
      for (let n = 0; n < 16; n += 1) await create(`Chaotic ${n}`).catch(() => undefined);
      runs.push((await kindsMet()).join());
    }

    expect(runs.slice(0, 2)).toEqual(
      Array(2).fill('truncated,,throttle,,,slow,error500,,slow,,,,,error500After,slow,truncated'),
    );
    expect(runs[2]).not.toBe(runs[0]);
  });
});
