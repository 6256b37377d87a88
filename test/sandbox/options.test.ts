import { describe, expect, test } from 'vitest';
import { startSandbox } from '../../sandbox/sandbox.ts';
import { cpuMsSince } from '../support/runner/cpu-time.ts';
import { company, companyV1, useSandbox } from './caller.ts';

const records = { customers: 1_000, items: 500, salesOrders: 1_000, salesQuotes: 70, employees: 3 };
const large = useSandbox({ records });
const usual = useSandbox();
const newest = useSandbox({ itemV1: false });

describe('records', () => {
  test.each(Object.entries(records))(
    'S.option.1 The first company has the requested number of %s',
    async (set, count) => {
      expect(await large.count(`${company}/${set}`)).toBe(count);
    },
  );

  test('S.option.2 Other companies and other sandboxes keep their usual counts', async () => {
    const [, other] = await large.list('/api/v2.0/companies');

    expect(await large.count(`/api/v2.0/companies(${other.id})/customers`)).toBe(100);
    expect(await usual.count(`${company}/customers`)).toBe(300);
    expect(await usual.count(`${company}/salesQuotes`)).toBe(60);
  });

  test('S.option.3 Records beyond the usual ones leave the ids and numbers of the usual ones unchanged', async () => {
    const ids = async (sandbox: typeof usual) =>
      new Map(
        (await sandbox.list(`${company}/customers?$select=id,number`)).map((one) => [one.number, one.id]),
      );
    const all = await ids(large);

    for (const [number, id] of await ids(usual)) expect(all.get(number)).toBe(id);
  });

  test('S.option.4 Large sandboxes start within two seconds, and faster the second time', async () => {
    const before = process.cpuUsage();
    const counts = { customers: 1_001, items: 501, salesOrders: 1_001 };
    const first = await startSandbox({ records: counts });
    const firstMs = cpuMsSince(before);
    const beforeSecond = process.cpuUsage();
    const second = await startSandbox({ records: counts });
    const secondMs = cpuMsSince(beforeSecond);
    await Promise.all([first.stop(), second.stop()]);

    expect(firstMs).toBeLessThan(2_000);
    expect(secondMs).toBeLessThan(500);
  });
});

describe('v1.0', () => {
  test.each([`${companyV1}/items`, '/api/v1.0/$batch', '/api/v1.0', `${companyV1}/customers`])(
    'A.version.1 Without the v1.0 shape of items, %s is 404',
    async (path) => {
      expect(await newest.get(path)).toMatchObject({
        status: 404,
        body: { error: { code: 'BadRequest_ResourceNotFound' } },
      });
    },
  );

  test('A.version.2 v2.0 is available without it', async () => {
    expect((await newest.get(`${company}/items?$top=1`)).status).toBe(200);
    expect((await usual.get(`${companyV1}/items?$top=1`)).status).toBe(200);
  });
});
