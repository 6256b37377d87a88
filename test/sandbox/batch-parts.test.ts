import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const root = `companies(${sandboxCompanyId})`;
const missing = `${root}/items(11111111-1111-4111-8111-111111111111)`;
const goOn = { prefer: 'odata.continue-on-error' };

const get = (url: string, more: object = {}) => ({ method: 'GET', url, ...more });
const batch = (requests: unknown, headers: Record<string, string> = {}) =>
  sandbox.post('/api/v2.0/$batch', { requests }, { headers: { accept: 'application/json', ...headers } });

describe('control of the parts of a batch', () => {
  const addFault = (fault: unknown) => sandbox.post('/sandbox/faults', fault);
  const journal = async () => (await sandbox.get('/sandbox/journal')).body.requests;

  test('S.batch.1 The journal records the parts of a batch with the batch', async () => {
    await batch([get(`${root}/items?$top=1&$select=id`), get(missing), get('companies')]);
    await sandbox.get('/api/v2.0/companies');
    const [first, second] = await journal();

    expect(first).toMatchObject({ method: 'POST', path: '/api/v2.0/$batch', status: 200 });
    expect(first.parts).toEqual([
      { method: 'GET', path: `/api/v2.0/${root}/items?$top=1&$select=id`, status: 200 },
      { method: 'GET', path: `/api/v2.0/${missing}`, status: 404 },
    ]);
    expect(second).not.toHaveProperty('parts');
  });

  test('S.batch.2 A fault of parts affects parts only, and a fault of requests the batch only', async () => {
    await addFault({
      part: true,
      path: 'companies',
      status: 429,
      headers: { 'Retry-After': '3' },
      body: { a: 1 },
    });
    await addFault({ path: '/items', status: 500 });

    expect((await sandbox.get('/api/v2.0/companies')).status).toBe(200);
    const reply = await batch([get(`${root}/items?$top=1`), get('companies')], goOn);
    expect(reply.body.responses.map((one: Json) => one.status)).toEqual([429, 200]);
    expect(reply.body.responses[0]).toMatchObject({ headers: { 'retry-after': '3' }, body: { a: 1 } });
    expect((await sandbox.get(`${company}/items`)).status).toBe(500);
  });

  test('S.batch.3 A fault of parts can replace a body or omit the part', async () => {
    await addFault({ part: true, path: '/items', body: 'not JSON' });
    await addFault({ part: true, path: '/employees', missing: true });
    const reply = await batch([
      get(`${root}/employees`, { id: '1' }),
      get(`${root}/items`, { id: '2' }),
      get('companies', { id: '3' }),
    ]);

    expect(reply.body.responses.map((one: Json) => one.id)).toEqual(['2', '3']);
    expect(reply.body.responses[0]).toMatchObject({ status: 200, body: 'not JSON' });
    expect((await journal())[0].parts.map((one: Json) => one.status)).toEqual([0, 200, 200]);
  });

  test('S.batch.5 A fault of parts can return an error after the part was executed', async () => {
    const [item] = await sandbox.list(`${company}/items?$top=1`);
    const headers = { 'Content-Type': 'application/json', 'If-Match': '*' };
    const url = `${root}/items(${item.id})`;
    await addFault({ part: true, method: 'PATCH', status: 500, after: true, body: { lost: true } });
    const reply = await batch(
      [{ method: 'PATCH', url, headers, body: { unitPrice: 4.25 } }, get(url), get('companies')],
      goOn,
    );

    expect(reply.body.responses.map((one: Json) => one.status)).toEqual([500, 200, 200]);
    expect(reply.body.responses[0].body).toEqual({ lost: true });
    expect(reply.body.responses[1].body.unitPrice).toBe(4.25);
  });

  test.each([{}, goOn])(
    'S.batch.6 With %j executed parts stay executed, and the batch ends or continues',
    async (prefer) => {
      const create = (displayName: string) => ({
        method: 'POST',
        url: `${root}/customers`,
        headers: { 'content-type': 'application/json' },
        body: { displayName },
      });
      await addFault({ part: true, method: 'POST', status: 503, after: true });
      const reply = await batch([create('First'), create('Second')], prefer);
      const made = await sandbox.list(
        `${company}/customers?$filter=displayName eq 'First' or displayName eq 'Second'`,
      );

      expect(reply.body.responses.map((one: Json) => one.status)).toEqual(
        'prefer' in prefer ? [503, 201] : [503],
      );
      expect(made.map((one) => one.displayName).sort()).toEqual(
        'prefer' in prefer ? ['First', 'Second'] : ['First'],
      );
    },
  );

  test.each([
    [true, 'carried out', true],
    ['before', 'not carried out', false],
  ])('S.batch.7 A missing part: %j was %s', async (missing, _what, isCarriedOut) => {
    const [item] = await sandbox.list(`${company}/items?$top=1`);
    const headers = { 'Content-Type': 'application/json', 'If-Match': '*' };
    const url = `${root}/items(${item.id})`;
    await addFault({ part: true, method: 'PATCH', missing });
    const reply = await batch([
      { id: '1', method: 'PATCH', url, headers, body: { unitPrice: 4.25 } },
      get(url, { id: '2' }),
    ]);

    expect(reply.body.responses.map((one: Json) => one.id)).toEqual(['2']);
    expect(reply.body.responses[0].body.unitPrice === 4.25).toBe(isCarriedOut);
  });

  test('S.batch.8 A part is missing with or without its execution: any other word is 400', async () => {
    expect((await addFault({ part: true, missing: 'after' })).status).toBe(400);
  });

  test.each([
    [{ reset: 'before' }, 0, undefined],
    [{ reset: 'after' }, 2, undefined],
    [{ status: 503 }, 0, 503],
    [{ status: 503, after: true }, 2, 503],
    [{ delayMs: 20 }, 2, 200],
    [{ lateMs: 20 }, 2, 200],
    [{ cutAt: 0 }, 2, undefined],
    [{ cutAt: 300 }, 2, undefined],
    [{ cutAt: 1_000 }, 2, undefined],
  ])(
    'S.batch.9 A fault %j affects a whole batch: %i of its writes are executed',
    async (fault, made, status) => {
      const create = (displayName: string) => ({
        method: 'POST',
        url: `${root}/customers`,
        headers: { 'content-type': 'application/json' },
        body: { displayName },
      });
      await addFault({ path: '/$batch', ...fault });
      const reply = await batch([create('First'), create('Second')]).catch(() => undefined);

      expect(reply?.status).toBe(status);
      expect(await sandbox.count(`${company}/customers`)).toBe(300 + made);
    },
  );
});
