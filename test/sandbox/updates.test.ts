import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, companyV1, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const unset = '00000000-0000-0000-0000-000000000000';
const refused = (code: string) => ({ status: 400, body: { error: { code } } });

describe.each([
  [
    'document',
    document,
    { missing: 'PreconditionRequired', stale: 'PreconditionFailed', statuses: [428, 412] },
  ],
  [
    'dynamics',
    dynamics,
    { missing: 'BadRequest_InvalidToken', stale: 'Request_EntityChanged', statuses: [400, 409] },
  ],
] as const)('updates in %s', (_dialect, sandbox, { missing, stale, statuses }) => {
  async function pick(set: string, filter?: string): Promise<{ path: string; record: Json }> {
    const path = `${company}/${set}(${(await sandbox.first(set, filter)).id})`;
    return { path, record: (await sandbox.get(path)).body };
  }

  test('A.update.12 A PATCH needs the current tag and changes it', async () => {
    const change = { displayName: 'Renamed' };
    const { path, record } = await pick('customers');
    const etag = record['@odata.etag'];
    const without = await sandbox.patch(path, undefined, change);
    const malformed = await sandbox.patch(path, 'W/"a', change);
    expect((await sandbox.get(path)).body).toEqual(record);
    const { status, body } = await sandbox.patch(path, etag, change);
    const late = await sandbox.patch(path, etag, change);

    expect(without).toMatchObject({ status: statuses[0], body: { error: { code: missing } } });
    expect(malformed).toMatchObject(refused('BadRequest_InvalidToken'));
    expect([status, body]).toMatchObject([200, change]);
    expect(body['@odata.etag']).not.toBe(etag);
    expect(body.lastModifiedDateTime > record.lastModifiedDateTime).toBe(true);
    expect(late).toMatchObject({ status: statuses[1], body: { error: { code: stale } } });
    expect((await sandbox.get(path)).body).toEqual(body);
    expect((await sandbox.patch(path, '*', change)).status).toBe(200);
    expect((await sandbox.get(path)).headers.has('etag')).toBe(false);
  });

  test('A.delete.3 A record is deleted once, with a current tag or none', async () => {
    const set = 'salesOrders';
    const remove = (path: string, etag?: string) =>
      sandbox.send('DELETE', path, etag === undefined ? {} : { headers: { 'if-match': etag } });
    const [one, other, third] = await sandbox.list(`${company}/${set}?$top=3`);
    const path = `${company}/${set}(${one.id})`;
    const before = await sandbox.count(`${company}/${set}`);

    expect(await remove(path, other['@odata.etag'])).toMatchObject({
      status: statuses[1],
      body: { error: { code: stale } },
    });
    expect(await remove(path, 'W/"a')).toMatchObject({
      status: 400,
      body: { error: { code: 'BadRequest_InvalidToken' } },
    });
    expect((await sandbox.send('DELETE', path, { token: 'reader-1' })).status).toBe(403);
    expect(await sandbox.count(`${company}/${set}`)).toBe(before);
    expect(await remove(path, one['@odata.etag'])).toMatchObject({ status: 204, text: '' });
    expect((await remove(path, 'W/"a"')).status).toBe(404);
    expect((await remove(`${company}/${set}(${other.id})`, '*')).status).toBe(204);
    expect((await remove(`${company}/${set}(${third.id})`)).status).toBe(204);
    expect(await sandbox.count(`${company}/${set}`)).toBe(before - 3);
  });

  test('A.update.7 A body that is not declared as JSON is 415, one that is no JSON object 400', async () => {
    const { path } = await pick('items');
    const send = async (body: string, type: string) =>
      (await sandbox.send('PATCH', path, { headers: { 'if-match': '*', 'content-type': type }, body }))
        .status;

    expect(await send('{}', 'text/plain')).toBe(415);
    for (const body of ['{"a":', '[]', '"x"', ''])
      expect(await send(body, 'application/json'), body).toBe(400);
    expect((await sandbox.patch(path.replace(company, companyV1), '*', {})).status).toBe(405);
  });

  test.each([
    ['A.update.9', 'customers', { id: unset }, 'BadRequest_InvalidOperation'],
    ['A.recalc.8', 'salesOrders', { status: 'Open' }, 'BadRequest_InvalidOperation'],
    ['A.recalc.4', 'customers', { currencyCode: 'EUR', currencyId: unset }, 'Application_DialogException'],
    ['A.recalc.11', 'salesOrders', { discountAmount: 1e9 }, 'Application_DialogException'],
    ['A.value.2', 'customers', { taxLiable: 'true' }, 'BadRequest'],
    ['A.value.6', 'employees', { birthDate: '2001-02-30' }, 'BadRequest'],
    ['A.value.8', 'customers', { blocked: 'Sometimes' }, 'Unknown'],
  ])('%s A PATCH of %s with %j is 400 and changes nothing', async (_id, set, body, code) => {
    const { path, record } = await pick(set);

    expect(await sandbox.patch(path, '*', body)).toMatchObject(refused(code));
    expect((await sandbox.get(path)).body).toEqual(record);
  });

  test.each([
    ['customers', 'city', 30],
    ['salesOrders', 'shipToName', 100],
  ])('A.value.13 Text of %s.%s has at most %i characters', async (set, name, length) => {
    const { path } = await pick(set);
    const longest = await sandbox.patch(path, '*', { [name]: `${'X'.repeat(length)}  ` });
    const tooLong = await sandbox.patch(path, '*', { [name]: 'x'.repeat(length + 1) });

    expect(longest.body[name]).toBe('X'.repeat(length));
    expect(tooLong).toMatchObject(refused('Application_StringExceededLength'));
    expect(tooLong.body.error.message).toContain(`less than or equal to ${length} characters`);
  });
});
