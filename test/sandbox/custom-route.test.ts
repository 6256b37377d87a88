import { describe, expect, test } from 'vitest';
import { sandboxCompanyId } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, type Reply, useSandbox } from './caller.ts';
import { useReceiver } from './webhook-receiver.ts';

const root = '/api/contoso/app/v1.0';
const below = `companies(${sandboxCompanyId})`;
const extensions = `${root}/${below}/itemExtensions`;

describe.each(['document', 'dynamics'] as const)('a route of its own in the dialect %s', (dialect) => {
  const sandbox = useSandbox({ dialect });
  const receiver = useReceiver();
  const word = (text: string) =>
    dialect === 'dynamics'
      ? text.replaceAll(/[ ()]/g, (mark) => `_x00${mark.charCodeAt(0).toString(16)}_`)
      : text;

  test('A.route.1 Every item has a record under its id, with its number and a tag of its own', async () => {
    const items = await sandbox.list(`${company}/items`);
    const records = await sandbox.list(extensions);
    const numbers = new Map(items.map(({ id, number }) => [id, number]));

    expect(records).toHaveLength(items.length);
    for (const { id, itemNumber } of records) expect(itemNumber).toBe(numbers.get(id));
    const tags = new Set([...items, ...records].map((one) => one['@odata.etag']));
    expect(tags.size).toBe(items.length * 2);
    expect((await sandbox.get(extensions)).body['@odata.context']).toBe(
      `${sandbox.url}${root}/$metadata#${below}/itemExtensions`,
    );
  });

  test('A.route.2 Lists are filtered, sorted, selected and paged', async () => {
    const all = await sandbox.list(extensions);
    const flammable = all.filter(({ hazardClass }) => hazardClass === 'Flammable');
    const query = `?$filter=hazardClass eq 'Flammable' and shelfLifeDays ge 0&$orderby=itemNumber desc&$select=itemNumber`;
    const found = await sandbox.list(extensions + query);
    const first = await sandbox.get(extensions, { headers: { prefer: 'odata.maxpagesize=100' } });
    const second = await sandbox.get(first.body['@odata.nextLink']);
    const toxic = await sandbox.list(
      `${extensions}?$filter=hazardClass eq '${word('Toxic (Class 6)')}'&$count=true`,
    );

    expect(flammable.length).toBeGreaterThan(3);
    expect(found.map(({ itemNumber }) => itemNumber)).toEqual(
      flammable
        .map(({ itemNumber }) => itemNumber)
        .sort()
        .reverse(),
    );
    expect(Object.keys(found[0])).toEqual(['@odata.etag', 'itemNumber']);
    expect([...first.body.value, ...second.body.value]).toEqual(all);
    expect(toxic.every(({ hazardClass }) => hazardClass === word('Toxic (Class 6)'))).toBe(true);
    expect(toxic.length).toBeGreaterThan(3);
  });

  test('A.route.3 A record is changed by its own tag, and the item is not', async () => {
    const [one] = await sandbox.list(`${extensions}?$top=1`);
    const path = `${extensions}(${one.id})`;
    const item = await sandbox.get(`${company}/items(${one.id})`);
    const changed = await sandbox.patch(path, one['@odata.etag'], {
      countryOfOrigin: 'fr',
      shelfLifeDays: 12,
    });
    const stale = await sandbox.patch(path, one['@odata.etag'], { shelfLifeDays: 13 });

    expect(changed).toMatchObject({ status: 200, body: { countryOfOrigin: 'FR', shelfLifeDays: 12 } });
    expect(stale.status).toBe(dialect === 'document' ? 412 : 409);
    expect((await sandbox.get(path)).body.shelfLifeDays).toBe(12);
    expect((await sandbox.get(`${company}/items(${one.id})`)).body).toEqual(item.body);
    for (const body of [
      { countryOfOrigin: 'QQ' },
      { hazardClass: 'Mild' },
      { itemNumber: '1' },
      { shelfLifeDays: 1.5 },
    ])
      expect((await sandbox.patch(path, '*', body)).status, JSON.stringify(body)).toBe(400);
  });

  test('A.route.4 Records are not created or deleted by themselves', async () => {
    const [one] = await sandbox.list(`${extensions}?$top=1`);

    expect((await sandbox.post(extensions, { id: one.id })).status).toBe(405);
    expect((await sandbox.send('DELETE', `${extensions}(${one.id})`)).status).toBe(405);
  });

  test('A.route.5 Its batch carries out requests of its own sets', async () => {
    const [one] = await sandbox.list(`${extensions}?$top=1`);
    const requests = [
      { method: 'GET', url: `${below}/itemExtensions(${one.id})` },
      {
        method: 'PATCH',
        url: `${below}/itemExtensions(${one.id})`,
        headers: { 'content-type': 'application/json', 'if-match': one['@odata.etag'] },
        body: { warehouseNote: 'Top shelf' },
      },
      { method: 'GET', url: `${below}/customers` },
    ];
    const headers = { accept: 'application/json', prefer: 'odata.continue-on-error' };
    const { body } = await sandbox.post(`${root}/$batch`, { requests }, { headers });
    const journal = (await sandbox.get('/sandbox/journal')).body.requests.at(-1);

    expect(body.responses.map(({ status }: Json) => status)).toEqual([200, 200, 404]);
    expect(body.responses[1].body.warehouseNote).toBe('Top shelf');
    expect(journal.parts[0].path).toBe(`${root}/${below}/itemExtensions(${one.id})`);
  });

  test('A.route.6 Faults and tokens are as everywhere', async () => {
    await sandbox.post('/sandbox/faults', {
      path: 'itemExtensions',
      status: 429,
      headers: { 'Retry-After': '1' },
    });
    const throttled = await sandbox.get(extensions);
    const [one] = await sandbox.list(`${extensions}?$top=1`);
    const change = (token: string) =>
      sandbox.send('PATCH', `${extensions}(${one.id})`, {
        token,
        headers: { 'if-match': '*', 'content-type': 'application/json' },
        body: '{"shelfLifeDays":1}',
      });

    expect([throttled.status, throttled.headers.get('retry-after')]).toEqual([429, '1']);
    expect((await sandbox.get(extensions, { token: 'expired' })).status).toBe(401);
    expect((await sandbox.get(extensions, { token: 'denied' })).status).toBe(403);
    expect((await change('reader')).status).toBe(403);
    expect((await change('clerk')).status).toBe(200);
  });

  test('A.route.7 Its sets are served nowhere else, and companies are served by every route', async () => {
    expect((await sandbox.get(`${company}/itemExtensions`)).status).toBe(404);
    expect((await sandbox.get(`${root}/${below}/items`)).status).toBe(404);
    expect((await sandbox.get(`/api/contoso/app/v2.0/${below}/itemExtensions`)).status).toBe(404);
    expect((await sandbox.list(`${root}/companies`)).map(({ id }) => id)).toContain(sandboxCompanyId);
  });

  test('A.route.8 Changes are notified to subscriptions that were created at the route', async () => {
    const subscribe = (at: string, resource: string): Promise<Reply> =>
      sandbox.post(`${at}/subscriptions`, { notificationUrl: receiver.url, resource });
    const { status, headers, body } = await subscribe(root, extensions);
    const [one] = await sandbox.list(`${extensions}?$top=1`);
    await sandbox.patch(`${extensions}(${one.id})`, '*', { shelfLifeDays: 77 });
    await sandbox.post('/sandbox/webhooks', { deliver: 'now' });

    expect(status).toBe(201);
    expect(headers.get('location')).toBe(`${sandbox.url}${root}/subscriptions('${body.subscriptionId}')`);
    expect(await receiver.items()).toMatchObject([
      { changeType: 'updated', resource: `${extensions.slice(1)}(${one.id})` },
    ]);
    expect((await subscribe('/api/v2.0', extensions)).status).toBe(400);
    expect((await subscribe(root, `${company}/items`)).status).toBe(400);
    expect((await subscribe('/api/v1.0', `${company}/items`)).status).toBe(404);
    expect((await sandbox.send('DELETE', `${root}/subscriptions('${body.subscriptionId}')`)).status).toBe(
      204,
    );
  });
});
