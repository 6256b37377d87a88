import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, type Reply, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const customers = `companies(${sandboxCompanyId})/customers`;
const json = { 'content-type': 'application/json' };
const headers = { ...json, accept: 'application/json', authorization: 'Bearer clerk' };
const address = '/api/v2.0/$batch';

const chaos = (settings: object) => sandbox.post('/sandbox/chaos', { rate: 1, slowMs: 30, ...settings });
const journal = async (): Promise<Json[]> => (await sandbox.get('/sandbox/journal')).body.requests;
const names = async (): Promise<string[]> =>
  (await sandbox.get('/sandbox/records?set=customers')).body.records
    .slice(300)
    .map((record: Json) => record.values.displayName);

const creates = ['First', 'Second', 'Third'].map((displayName) => ({
  id: displayName,
  method: 'POST',
  url: customers,
  headers: json,
  body: { displayName },
}));
const batch = (more: Record<string, string> = {}): Promise<Reply> =>
  sandbox.post(address, { requests: creates }, { headers: { accept: 'application/json', ...more } });
const answered = (reply: Reply) => reply.body.responses.map((one: Json) => `${one.id} ${one.status}`);

describe('chaos around a whole batch', () => {
  test.each([
    ['resetBefore', 0, undefined],
    ['resetAfter', 3, undefined],
    ['error500', 0, 500],
    ['error500After', 3, 500],
    ['error503', 0, 503],
    ['error503After', 3, 503],
    ['throttle', 0, 429],
    ['truncated', 3, undefined],
    ['slow', 3, 200],
    ['late', 3, 200],
  ])('S.chaos.15 %s: %i of three writes are executed, with the responses %j', async (kind, made, status) => {
    await chaos({ kinds: [kind], path: '$batch' });
    const startedAt = performance.now();
    const reply = await batch().catch(() => undefined);

    expect(reply?.status).toBe(status);
    if (status === 200) expect(performance.now() - startedAt).toBeGreaterThanOrEqual(28);
    expect(await names()).toHaveLength(made);
    expect((await journal())[0].chaos).toBe(kind);
  });

  test('S.chaos.16 A batch response that is cut short has its full length in the headers', async () => {
    await chaos({ kinds: ['truncated'], path: '$batch' });
    for (let n = 0; n < 5; n += 1) {
      const body = JSON.stringify({ requests: creates });
      const response = await fetch(sandbox.url + address, { method: 'POST', headers, body });

      expect(response.status).toBe(200);
      expect(Number(response.headers.get('content-length'))).toBeGreaterThan(200);
      await expect(response.text()).rejects.toThrow();
    }
    expect(await names()).toHaveLength(15);
  });

  test('S.chaos.17 The parts of a late batch have no random faults, and shift none of requests in the meantime', async () => {
    const runs: string[][] = [];
    for (const slowMs of [1, 200]) {
      await sandbox.post('/sandbox/reset');
      await chaos({ seed: 2, rate: 0.5, slowMs, kinds: ['late', 'error503'] });
      const batches: Promise<unknown>[] = [];
      for (let n = 1; n <= 8; n += 1) {
        batches.push(batch());
        await expect.poll(async () => (await journal()).length).toBe(n);
        if (slowMs === 1) await batches.at(-1);
      }
      await Promise.all(batches);
      runs.push((await journal()).map((one) => [one, ...(one.parts ?? [])].map((met) => met.chaos).join()));
    }

    expect(runs[1]).toEqual(runs[0]);
    const late = runs[0]?.filter((met) => met.startsWith('late'));
    expect(new Set(late)).toEqual(new Set(['late,,,']));
    expect(runs[0]?.some((met) => /error503/.test(met))).toBe(true);
  });
});

describe('chaos within a batch', () => {
  test.each([
    ['omitted', ['First', 'Second', 'Third'], 'First 201,Third 201'],
    ['omittedBefore', ['First', 'Third'], 'First 201,Third 201'],
    ['error503After', ['First', 'Second', 'Third'], 'First 201,Second 503,Third 201'],
  ])('S.chaos.18 A part that meets %s: %j are executed, the response is %s', async (kind, made, expected) => {
    const [first, second, third] = creates;
    const one = { ...second, url: `${customers}?$select=id` };
    await chaos({ kinds: [kind], path: '$select' });
    const requests = [first, one, third];
    const prefer = { accept: 'application/json', prefer: 'odata.continue-on-error' };
    const reply = await sandbox.post(address, { requests }, { headers: prefer });

    expect(answered(reply).join()).toBe(expected);
    expect(await names()).toEqual(made);
    expect((await journal())[0].parts.map((part: Json) => part.chaos)).toEqual([undefined, kind, undefined]);
  });

  test('S.chaos.19 An omitted part ends no batch and rolls back no transaction', async () => {
    await chaos({ kinds: ['omitted'] });

    expect(answered(await batch())).toEqual([]);
    expect(await names()).toHaveLength(3);
    expect(answered(await batch({ isolation: 'snapshot' }))).toEqual([]);
    expect(await names()).toHaveLength(6);
  });

  test('S.chaos.20 Parts are never late, and a single request is never omitted', async () => {
    await chaos({ kinds: ['late', 'slow', 'truncated'], path: '/customers' });
    expect(answered(await batch())).toEqual(['First 201', 'Second 201', 'Third 201']);

    await chaos({ kinds: ['omitted', 'omittedBefore'] });
    expect((await sandbox.post(`${company}/customers`, { displayName: 'Single' })).status).toBe(201);
    expect((await journal()).map((entry) => entry.chaos)).toEqual([undefined, undefined]);
  });
});
