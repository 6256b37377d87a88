import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const customers = `${company}/customers`;
const json = { 'content-type': 'application/json' };

const journal = async (): Promise<Json[]> => (await sandbox.get('/sandbox/journal')).body.requests;
const stored = async (): Promise<Json[]> =>
  (await sandbox.get('/sandbox/records?set=customers')).body.records;
/** Polls often, so that little of a wait has passed when a request is known to have come. */
const soon = { interval: 5 };

const addFault = (fault: unknown) => sandbox.post('/sandbox/faults', fault);

interface Write {
  readonly method: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Sends a write and hangs up as soon as the sandbox has it. */
async function sendAndHangUp({ method, path, headers = {}, body }: Write): Promise<void> {
  const known = (await journal()).length;
  const caller = new AbortController();
  const sent = fetch(sandbox.url + path, {
    method,
    signal: caller.signal,
    headers: { authorization: 'Bearer clerk', accept: 'application/json', ...json, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const failed = expect(sent).rejects.toThrow();
  await expect.poll(async () => (await journal()).length, soon).toBe(known + 1);
  caller.abort();
  await failed;
}

/** How often each customer was written; what is not there was written 0 times. */
async function versionsAfter(ids: readonly string[]): Promise<number[]> {
  const records = await stored();
  return ids.map((id) => records.find((record) => record.id === id)?.version ?? 0);
}

describe('requests that are executed late', () => {
  test.each([
    ['a plain fault', () => addFault({ path: '/customers', lateMs: 500 })],
    ['chaos', () => sandbox.post('/sandbox/chaos', { rate: 1, kinds: ['late'], slowMs: 500 })],
  ])('S.late.1 By %s a write is executed only later, and answered then', async (_what, disturb) => {
    await disturb();
    const startedAt = performance.now();
    const reply = sandbox.post(customers, { displayName: 'Late' });
    await expect.poll(async () => (await journal()).length, soon).toBe(1);

    expect(await stored()).toHaveLength(300);
    expect(await reply).toMatchObject({ status: 201, body: { displayName: 'Late' } });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(490);
    expect(await stored()).toHaveLength(301);
    expect((await journal())[0]).toMatchObject({ status: 201 });
    expect((await journal())[0].durationMs).toBeGreaterThanOrEqual(490);
  });

  test('S.late.2 A POST, a PATCH, a DELETE and a batch are executed although their callers have disconnected', async () => {
    const chosen = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';
    const [changed] = await sandbox.list(`${customers}?$top=1`);
    const removed = (await sandbox.post(customers, { displayName: 'Short-lived' })).body;
    const ofBatch = '1d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a11';
    const part = {
      method: 'POST',
      url: `companies(${sandboxCompanyId})/customers`,
      headers: json,
      body: { id: ofBatch, displayName: 'Late part' },
    };
    const writes: Write[] = [
      { method: 'POST', path: customers, body: { id: chosen, displayName: 'Late' } },
      {
        method: 'PATCH',
        path: `${customers}(${changed.id})`,
        headers: { 'if-match': changed['@odata.etag'] },
        body: { city: 'Oslo' },
      },
      { method: 'DELETE', path: `${customers}(${removed.id})` },
      { method: 'POST', path: '/api/v2.0/$batch', body: { requests: [part] } },
    ];
    const ids = [chosen, changed.id, removed.id, ofBatch];
    await addFault({ times: 4, lateMs: 1_000 });
    for (const write of writes) await sendAndHangUp(write);

    expect(await versionsAfter(ids)).toEqual([0, 1, 1, 0]);
    await expect.poll(() => versionsAfter(ids)).toEqual([1, 2, 0, 1]);
  });

  test('S.late.3 A late write sees what was written in the meantime: its entity tag can be stale', async () => {
    const [customer] = await sandbox.list(`${customers}?$top=1`);
    const path = `${customers}(${customer.id})`;
    await addFault({ method: 'PATCH', lateMs: 400 });
    const late = sandbox.patch(path, customer['@odata.etag'], { city: 'Bergen' });
    await expect.poll(async () => (await journal()).length, soon).toBe(2);
    const inTime = await sandbox.patch(path, customer['@odata.etag'], { city: 'Oslo' });

    expect(inTime.status).toBe(200);
    expect((await late).status).toBe(412);
    expect((await sandbox.get(path)).body.city).toBe('Oslo');
  });

  test('S.late.4 A slow write is executed at once, one that is slow and late is delayed first and slow then', async () => {
    await addFault({ method: 'POST', lateMs: 150, delayMs: 150 });
    const startedAt = performance.now();
    const reply = sandbox.post(customers, { displayName: 'Late and slow' });
    await expect.poll(async () => (await stored()).length, soon).toBe(301);
    const carriedOutAfter = performance.now() - startedAt;
    await reply;

    expect(carriedOutAfter).toBeGreaterThanOrEqual(145);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(290);
  });

  test('S.late.5 A late write can lose its response, too', async () => {
    await addFault({ method: 'POST', lateMs: 30, reset: 'after' });
    await addFault({ method: 'POST', lateMs: 30, status: 504, after: true });

    await expect(sandbox.post(customers, { displayName: 'Late' })).rejects.toThrow();
    expect((await sandbox.post(customers, { displayName: 'Late' })).status).toBe(504);
    expect(await stored()).toHaveLength(302);
  });

  test('S.late.6 A request that is still waiting at a reset is not executed', async () => {
    await addFault({ method: 'POST', lateMs: 500 });
    const late = expect(sandbox.post(customers, { displayName: 'Late' })).rejects.toThrow();
    await expect.poll(async () => (await journal()).length, soon).toBe(1);
    await sandbox.post('/sandbox/reset');
    await late;

    expect(await stored()).toHaveLength(300);
    expect(await journal()).toEqual([]);
  });

  test.each([{ lateMs: -1 }, { lateMs: 'soon' }])('S.late.7 A fault %j is 400', async (fault) => {
    expect((await addFault(fault)).status).toBe(400);
  });

  test('S.late.8 The index says that delayMs waits after the execution and lateMs before it', async () => {
    const { available } = (await sandbox.get('/sandbox')).body;

    expect(available['POST /sandbox/faults']).toContain(
      'delayMs waits after the request is executed, lateMs before.',
    );
    expect(available['POST /sandbox/chaos']).toContain(
      'slow, late, error503After, omitted, omittedBefore, vanished, noEnvironment, forbidden500, repeated, unseen, interim, idleClose. The last 11 are used only when named.',
    );
  });
});
