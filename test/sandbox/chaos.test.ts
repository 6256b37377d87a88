import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const root = `companies(${sandboxCompanyId})`;
const customers = `${company}/customers`;
const json = { 'content-type': 'application/json' };

const chaos = (settings: unknown) => sandbox.post('/sandbox/chaos', settings);
const journal = async (): Promise<Json[]> => (await sandbox.get('/sandbox/journal')).body.requests;
const stored = async (set = 'customers'): Promise<Json[]> =>
  (await sandbox.get(`/sandbox/records?set=${set}`)).body.records;
const create = (displayName: string) => sandbox.post(customers, { displayName });
const tried = (displayName: string) => create(displayName).catch(() => undefined);
const batch = (requests: unknown) =>
  sandbox.post('/api/v2.0/$batch', { requests }, { headers: { accept: 'application/json' } });

/** The kinds that so many creates in a row met, '' where one met none. */
async function kindsMet(count: number): Promise<string[]> {
  for (let n = 0; n < count; n += 1) await tried(`Chaotic ${n}`);
  return (await journal()).map((entry) => entry.chaos ?? '');
}

describe('chaos', () => {
  test('S.chaos.1 The same seed and order give the same faults, another seed gives others', async () => {
    const runs: string[][] = [];
    for (const seed of [7, 7, 8]) {
      await sandbox.post('/sandbox/reset');
      await chaos({ seed, rate: 0.5, slowMs: 1 });
      runs.push(await kindsMet(40));
    }
    const [first, again, other] = runs;

    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(new Set(first).size).toBeGreaterThan(5);
    expect(first?.filter((kind) => kind === '').length).toBeGreaterThan(8);
  });

  test.each([
    ['resetBefore', 0, undefined],
    ['resetAfter', 1, undefined],
    ['error500', 0, 500],
    ['error500After', 1, 500],
    ['error503', 0, 503],
    ['throttle', 0, 429],
    ['truncated', 1, undefined],
    ['slow', 1, 201],
    ['vanished', 0, 404],
    ['forbidden500', 0, 500],
    ['unseen', 1, undefined],
  ])('S.chaos.2 %s: executed %i times, with the responses %j', async (kind, times, status) => {
    const before = (await stored()).length;
    await chaos({ rate: 1, kinds: [kind], slowMs: 30 });
    const startedAt = performance.now();
    const reply = await tried('Chaotic');

    expect(reply?.status).toBe(status);
    if (kind === 'slow') expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
    if (status !== undefined && status >= 400) expect(reply?.body.error.code).toEqual(expect.any(String));
    expect((await stored()).length - before).toBe(times);
    expect((await journal())[0].chaos).toBe(kind);
  });

  test('S.chaos.3 Some throttled requests get a Retry-After of one second, some get none', async () => {
    await chaos({ seed: 3, rate: 1, kinds: ['throttle'] });
    const told = new Set<string | null>();
    for (let n = 0; n < 20; n += 1) told.add((await create('Chaotic')).headers.get('retry-after'));

    expect(told).toEqual(new Set(['1', null]));
  });

  test('S.chaos.4 Reads are not affected, nor batches of reads', async () => {
    await chaos({ rate: 1, kinds: ['error500'] });
    const [customer] = await sandbox.list(`${customers}?$top=1`);

    expect((await sandbox.patch(`${customers}(${customer.id})`, '*', {})).status).toBe(500);
    expect((await batch([{ method: 'GET', url: 'companies' }])).status).toBe(200);
  });

  test('S.chaos.5 A batch that contains a write is affected as a whole, and its parts each for itself', async () => {
    const part = (method: string, url: string, body?: unknown) => ({ method, url, headers: json, body });
    const requests = [part('GET', 'companies'), part('POST', `${root}/customers`, { displayName: 'Part' })];
    const before = (await stored()).length;
    await chaos({ rate: 1, kinds: ['omittedBefore'] });
    const reply = await batch(requests);
    await chaos({ rate: 1, kinds: ['resetAfter'] });

    expect(reply.body.responses.map((one: Json) => one.status)).toEqual([200]);
    expect((await journal())[0].parts.map((one: Json) => one.chaos)).toEqual([undefined, 'omittedBefore']);
    expect((await stored()).length).toBe(before);
    await expect(batch(requests)).rejects.toThrow();
    expect((await stored()).length).toBe(before + 1);
  });

  test('S.chaos.6 Faults that were set take precedence', async () => {
    await chaos({ rate: 1, kinds: ['error500'] });
    await sandbox.post('/sandbox/faults', { method: 'POST', status: 418 });

    expect((await create('Chaotic')).status).toBe(418);
    expect((await create('Chaotic')).status).toBe(500);
  });

  test.each([
    ['a rate of 0', () => chaos({ rate: 0 })],
    ['a reset', () => sandbox.post('/sandbox/reset')],
  ])('S.chaos.7 It ends with %s', async (_what, end) => {
    await chaos({ rate: 1, kinds: ['error500'] });
    expect((await create('Chaotic')).status).toBe(500);

    expect((await end()).status).toBe(204);
    expect((await create('Calm')).status).toBe(201);
  });

  test.each([
    {},
    { rate: 2 },
    { rate: '0.5' },
    { rate: 1, seed: 0.5 },
    { rate: 1, kinds: [] },
    { rate: 1, kinds: ['toString'] },
    { rate: 1, slowMs: -1 },
    { rate: 1, colour: 'red' },
    { rate: 1, reads: 1 },
    [],
  ])('S.chaos.8 Chaos such as %j is 400', async (settings) => {
    expect((await chaos(settings)).status).toBe(400);
  });

  test('S.chaos.9 The index lists it with its kinds', async () => {
    const { body } = await sandbox.get('/sandbox');

    expect(body.available['POST /sandbox/chaos']).toContain(
      'resetBefore, resetAfter, error500, error500After',
    );
  });

  test('S.chaos.10 A seed keeps its faults: reads in between do not shift them, later kinds are enabled by name only', async () => {
    const write = { method: 'POST', url: `${root}/customers`, headers: json, body: { displayName: 'Part' } };
    await chaos({ seed: 7, rate: 0.5, slowMs: 1 });
    const singles = await kindsMet(16);
    for (let n = 0; n < 6; n += 1) {
      await sandbox.get(`${customers}?$top=1`);
      await batch([{ method: 'GET', url: 'companies' }]);
      await batch([write, write, write]).catch(() => undefined);
    }
    const batches = (await journal()).filter(
      (entry) => /\$batch$/.test(entry.path) && /POST/.test(entry.body),
    );
    const ofParts = batches.map(({ chaos: own = '', parts = [] }) =>
      [own, ...parts.map((part: Json) => part.chaos ?? '')].join('/'),
    );

    expect(singles.join()).toBe('truncated,,throttle,,,slow,error500,,slow,,,,,error500After,slow,truncated');
    expect(ofParts).toEqual([
      '/throttle',
      '///',
      'resetAfter///',
      '///',
      'error500After/error500',
      '//throttle',
    ]);
  });
});

describe('chaos among reads', () => {
  const list = `${customers}?$top=1`;
  const readBatch = () => batch([{ method: 'GET', url: 'companies' }]);

  test('S.chaos.11 With reads: true reads are disturbed like writes: lists, records and batches of them', async () => {
    const [customer] = await sandbox.list(list);
    await chaos({ rate: 1, kinds: ['error503'], reads: true });

    for (const path of [list, `${customers}(${customer.id})`]) {
      expect((await sandbox.get(path)).status).toBe(503);
    }
    expect((await readBatch()).status).toBe(503);
    expect((await create('Chaotic')).status).toBe(503);
    expect((await journal()).slice(1).every((entry) => entry.chaos === 'error503')).toBe(true);
    expect((await sandbox.get('/elsewhere')).status).toBe(404);
  });

  test.each([
    ['resetBefore', undefined],
    ['resetAfter', undefined],
    ['error500', 500],
    ['error500After', 500],
    ['error503', 503],
    ['error503After', 503],
    ['throttle', 429],
    ['truncated', undefined],
    ['slow', 200],
    ['late', 200],
  ])('S.chaos.12 A read can meet %s: the response is %j', async (kind, status) => {
    await chaos({ rate: 1, kinds: [kind], slowMs: 30, reads: true });
    const startedAt = performance.now();
    const reply = await sandbox.get(list).catch(() => undefined);

    expect(reply?.status).toBe(status);
    if (status === 200) expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
    expect((await journal())[0].chaos).toBe(kind);
  });

  test('S.chaos.13 Reads among the parts of a batch are disturbed each for itself', async () => {
    const requests = ['customers', 'items', 'employees'].map((set) => ({
      id: set,
      method: 'GET',
      url: `${root}/${set}?$top=1`,
    }));
    const answers = async (kind: string) => {
      await chaos({ rate: 1, kinds: [kind], reads: true });
      const headers = { accept: 'application/json', prefer: 'odata.continue-on-error' };
      const { body } = await sandbox.post('/api/v2.0/$batch', { requests }, { headers });
      return body.responses.map((one: Json) => `${one.id} ${one.status}`);
    };

    expect(await answers('omitted')).toEqual([]);
    expect(await answers('omittedBefore')).toEqual([]);
    expect((await journal())[0].parts).toMatchObject(requests.map(() => ({ status: 0, chaos: 'omitted' })));
  });

  test('S.chaos.14 The same seed and order of reads and writes give the same faults', async () => {
    const runs: string[][] = [];
    for (let run = 0; run < 2; run += 1) {
      await sandbox.post('/sandbox/reset');
      await chaos({ seed: 5, rate: 0.5, slowMs: 1, reads: true });
      for (let n = 0; n < 12; n += 1) {
        await tried(`Chaotic ${n}`);
        await sandbox.get(list).catch(() => undefined);
      }
      runs.push((await journal()).map((entry) => `${entry.method} ${entry.chaos}`));
    }

    expect(runs[1]).toEqual(runs[0]);
    expect(new Set(runs[0]).size).toBeGreaterThan(5);
  });
});
