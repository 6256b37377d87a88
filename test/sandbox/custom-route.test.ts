import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { companyPart as below, company, useSandbox } from './caller.ts';

const root = '/api/contoso/app/v1.0';
const extensions = `${root}/${below}/itemExtensions`;

describe.each([
  ['document', 412],
  ['dynamics', 409],
] as const)('a route of its own in the dialect %s', (dialect, stale) => {
  const sandbox = useSandbox({ dialect });
  const aRecord = async (): Promise<Json> => (await sandbox.list(`${extensions}?$top=1`))[0];

  test('A.route.3 A record is changed by its own tag, and the item is not; none is created or deleted', async () => {
    const one = await aRecord();
    const path = `${extensions}(${one.id})`;
    const item = await sandbox.get(`${company}/items(${one.id})`);
    const changed = await sandbox.patch(path, one['@odata.etag'], {
      countryOfOrigin: 'fr',
      shelfLifeDays: 12,
    });

    expect(changed).toMatchObject({ status: 200, body: { countryOfOrigin: 'FR', shelfLifeDays: 12 } });
    expect((await sandbox.patch(path, one['@odata.etag'], { shelfLifeDays: 13 })).status).toBe(stale);
    expect((await sandbox.get(`${company}/items(${one.id})`)).body).toEqual(item.body);
    for (const body of [
      { countryOfOrigin: 'QQ' },
      { hazardClass: 'Mild' },
      { itemNumber: '1' },
      { shelfLifeDays: 1.5 },
    ])
      expect((await sandbox.patch(path, '*', body)).status, JSON.stringify(body)).toBe(400);
    expect((await sandbox.post(extensions, { id: one.id })).status).toBe(405);
    expect((await sandbox.send('DELETE', path)).status).toBe(405);
    expect(
      (await sandbox.send('PATCH', path, { token: 'reader', headers: { 'if-match': '*' } })).status,
    ).toBe(403);
  });

  test('A.route.7 Its sets are served nowhere else, and companies are served by every route', async () => {
    const paths = [`${company}/itemExtensions`, `${root}/${below}/items`, extensions.replace('v1.0', 'v2.0')];

    for (const path of paths) expect((await sandbox.get(path)).status).toBe(404);
    expect((await sandbox.get(`${root}/${below}`)).status).toBe(200);
  });
});
