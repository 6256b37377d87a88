import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import { useSandbox } from './caller.ts';

const below = `/api/contoso/app/v1.0/companies(${sandboxCompanyId})`;
const bins = `${below}/warehouseBins`;
const counters = `${below}/counters`;
const literal = (text: string) => encodeURIComponent(`'${text.replaceAll("'", "''")}'`);
const bin = (locationCode: string, binCode: string) =>
  `${bins}(locationCode=${literal(locationCode)},binCode=${literal(binCode)})`;

describe.each(['document', 'dynamics'] as const)('keys that are not GUIDs, in the dialect %s', (dialect) => {
  const sandbox = useSandbox({ dialect });

  test('A.key.1 Every record is read under the values of its key, whatever characters they have', async () => {
    const records = await sandbox.list(bins);
    const codes = records.map(({ binCode }) => binCode).join('');

    for (const mark of ["'", '"', '/', ' ', ',', '=', '(', ')', '%', '+', 'Ø']) expect(codes).toContain(mark);
    for (const { locationCode, binCode, ...rest } of records) {
      expect(rest.id).toBeUndefined();
      expect((await sandbox.get(bin(locationCode, binCode))).body).toMatchObject({ binCode, ...rest });
    }
  });

  test('A.key.2 The parts of a key have any order, and codes any case', async () => {
    const swapped = await sandbox.get(`${bins}(binCode='a-01',locationCode='west')`);

    expect(swapped.body).toMatchObject({ locationCode: 'WEST', binCode: 'A-01' });
    expect((await sandbox.get(bin('WEST', 'A/02'))).status).toBe(404);
  });

  test.each([
    "('EAST')",
    "(locationCode='EAST')",
    "(locationCode='EAST',locationCode='A-01')",
    "(locationCode='EAST',binCode='A-01',zone='Pick')",
    "(locationCode='EAST',binCode=A-01)",
    "(locationCode='EAST',binCode=5)",
    "(locationCode='EAST',binCode='A-01',)",
    '(0e0f0986-928f-40d7-8834-d1910255a423)',
  ])('A.key.3 %s is no key of two codes', async (key) => {
    expect((await sandbox.get(bins + key)).status).toBe(400);
  });

  test('A.key.4 A single key is its value, with or without the name', async () => {
    expect((await sandbox.get(`${counters}(7)`)).body.counterNumber).toBe(7);
    expect((await sandbox.get(`${counters}(-2)`)).body.counterNumber).toBe(-2);
    expect((await sandbox.get(`${counters}(counterNumber=3)`)).body.counterNumber).toBe(3);
    expect((await sandbox.get(`${counters}(99)`)).status).toBe(404);
    for (const key of ["'7'", 'x', '1.5', '', '99999999999'])
      expect((await sandbox.get(`${counters}(${key})`)).status, key).toBe(400);
  });

  test('A.key.5 A record is created with the key of the caller, and found where the answer says', async () => {
    const input = { locationCode: 'north', binCode: "b'1/2", description: 'New' };
    const { status, headers, body } = await sandbox.post(bins, input);
    const again = await sandbox.post(bins, { ...input, binCode: "B'1/2" });

    expect(status).toBe(201);
    expect(body).toMatchObject({ locationCode: 'NORTH', binCode: "B'1/2", description: 'New' });
    expect((await sandbox.get(headers.get('location') ?? '')).body).toEqual(body);
    expect(again).toMatchObject({
      status: dialect === 'document' ? 409 : 400,
      body: { error: { code: 'Internal_EntityWithSameKeyExists' } },
    });
    expect((await sandbox.post(bins, { locationCode: 'NORTH' })).status).toBe(400);
    expect((await sandbox.post(counters, { description: 'No number' })).status).toBe(400);
  });

  test('A.key.6 A record is changed and deleted by its tag, and keeps its key', async () => {
    const path = bin('EAST', 'A/02');
    const { body } = await sandbox.get(path);
    const etag = body['@odata.etag'];
    const changed = await sandbox.patch(path, etag, { binCode: 'A/02', blocked: true });
    const stale = await sandbox.send('DELETE', path, { headers: { 'if-match': etag } });

    expect(changed).toMatchObject({ status: 200, body: { blocked: true, binCode: 'A/02' } });
    expect(stale.status).toBe(dialect === 'document' ? 412 : 409);
    expect((await sandbox.patch(path, '*', { binCode: 'A/03' })).status).toBe(400);
    expect((await sandbox.patch(path, undefined, { blocked: false })).status).toBe(
      dialect === 'document' ? 428 : 400,
    );
    const deleted = await sandbox.send('DELETE', path, {
      headers: { 'if-match': changed.body['@odata.etag'] },
    });
    expect(deleted.status).toBe(204);
    expect((await sandbox.get(path)).status).toBe(404);
    expect((await sandbox.post(bins, { locationCode: 'EAST', binCode: 'A/02' })).status).toBe(201);
  });

  test('A.key.7 Lists without an order are in the order of the key, across pages', async () => {
    const numbers = (await sandbox.list(counters)).map(({ counterNumber }) => counterNumber);
    const found: number[] = [];
    const options = { headers: { prefer: 'odata.maxpagesize=5' } };
    for (let path: string | undefined = counters; path !== undefined; ) {
      const { body } = await sandbox.get(path, options);
      found.push(...body.value.map((one: { counterNumber: number }) => one.counterNumber));
      path = body['@odata.nextLink'];
    }

    expect(numbers).toEqual([-2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(found).toEqual(numbers);
    expect(await sandbox.list(`${bins}?$filter=binCode eq 'O''HARE 3'`)).toHaveLength(1);
  });

  test('A.key.8 A record that reads do not show yet is hidden under its key, too', async () => {
    await sandbox.post('/sandbox/faults', { method: 'POST', path: 'warehouseBins', unseenMs: 60_000 });
    const { status } = await sandbox.post(bins, { locationCode: 'WEST', binCode: 'LATE/1' });

    expect(status).toBe(201);
    expect((await sandbox.get(bin('WEST', 'LATE/1'))).status).toBe(404);
  });
});
