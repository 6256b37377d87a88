import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { cpuMsSince } from '../support/runner/cpu-time.ts';
import { company, type Reply, useSandbox } from './caller.ts';

const sandbox = useSandbox();
const root = `companies(${sandboxCompanyId})`;
const json = { 'content-type': 'application/json' };
const goOn = { prefer: 'odata.continue-on-error' };
const missing = `${root}/items(11111111-1111-4111-8111-111111111111)`;

const batch = (requests: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  sandbox.post('/api/v2.0/$batch', { requests }, { headers: { accept: 'application/json', ...headers } });

const get = (url: string) => ({ method: 'GET', url });
const patch = (url: string, body: unknown) => ({
  method: 'PATCH',
  url,
  headers: { ...json, 'If-Match': '*' },
  body,
});
const statuses = (reply: Reply) => reply.body.responses.map((one: Json) => one.status);

describe('writes in a batch', () => {
  const post = (set: string, body: unknown) => ({
    method: 'POST',
    url: `${root}/${set}`,
    headers: json,
    body,
  });
  const remove = (url: string) => ({ method: 'DELETE', url });

  test('A.batch.18 Records are created, updated and deleted one after another', async () => {
    const id = '0d0a5c11-57ce-4f42-9c3b-5a4d6f0f8a10';
    const customer = `${root}/customers(${id})`;
    const { body } = await batch([
      post('customers', { id, displayName: 'Brindle Trading' }),
      patch(customer, { city: 'Oslo' }),
      post('salesQuotes?$expand=salesQuoteLines', {
        customerId: id,
        salesQuoteLines: [{ lineType: 'Comment' }],
      }),
      remove(customer),
    ]);
    const [created, changed, quote, kept] = body.responses;

    expect(created).toMatchObject({ status: 201, body: { id } });
    expect(created.headers.location).toBe(`${sandbox.url}/api/v2.0/${customer}`);
    expect(changed).toMatchObject({ status: 200, body: { city: 'Oslo' } });
    expect(quote).toMatchObject({ status: 201, body: { customerId: id, salesQuoteLines: [{}] } });
    expect(kept).toMatchObject({ status: 400, body: { error: { code: 'Application_DialogException' } } });

    const gone = await batch([
      remove(`${root}/salesQuotes(${quote.body.id})`),
      remove(customer),
      get(customer),
    ]);
    expect(statuses(gone)).toEqual([204, 204, 404]);
    expect(gone.body.responses[0]).not.toHaveProperty('body');
  });

  test.each([
    ['ends', {}, [201, 400], ['First']],
    ['goes on', goOn, [201, 400, 201], ['First', 'Third']],
    ['is taken back', { isolation: 'snapshot' }, [201, 400], []],
  ])('A.batch.19 A batch of creates with one refused part %s', async (_what, headers, expected, made) => {
    const names = ['First', '', 'Third'];
    const reply = await batch(
      names.map((displayName) => post('customers', { displayName })),
      headers as Record<string, string>,
    );
    const found = await sandbox.list(
      `${company}/customers?$filter=displayName eq 'First' or displayName eq 'Third'`,
    );

    expect(statuses(reply)).toEqual(expected);
    expect(found.map((one) => one.displayName).sort()).toEqual(made);
  });

  test('A.batch.20 With Isolation: snapshot deletes are rolled back, too', async () => {
    const [employee] = await sandbox.list(`${company}/employees?$top=1`);
    const url = `${root}/employees(${employee.id})`;
    await batch([remove(url), get(missing)], { isolation: 'snapshot' });

    expect((await sandbox.get(`/api/v2.0/${url}`)).body).toMatchObject(employee);
  });

  test('A.batch.21 A thousand creates take less than two seconds', async () => {
    const hundred = Array.from({ length: 100 }, (_, n) =>
      post('customers', { displayName: `Customer ${n}` }),
    );
    const before = process.cpuUsage();
    for (let n = 0; n < 10; n += 1) expect(new Set(statuses(await batch(hundred)))).toEqual(new Set([201]));

    expect(cpuMsSince(before)).toBeLessThan(2_000);
    expect(await sandbox.count(`${company}/customers`)).toBe(1_300);
  });
});
