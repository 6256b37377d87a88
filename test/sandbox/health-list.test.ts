import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';

const sandbox = useSandbox();

const version = 'api-version=2025-05-01';
const events = '/providers/Vendor.Health/events';
const subscription = '11111111-2222-4333-8444-555555555555';
const everything = 'queryStartTime=1/1/2000';

/** All pages of the list. */
async function list(query = '', base = events): Promise<Json[]> {
  const rows: Json[] = [];
  for (let link = `${base}?${version}&${query}`; link; ) {
    const { status, body } = await sandbox.get(link);
    expect(status).toBe(200);
    rows.push(...body.value);
    link = body.nextLink;
  }
  return rows;
}

const namesOf = (rows: readonly Json[]) => rows.map(({ name }) => name);

describe('the list of events', () => {
  test('C.list.1 It contains events updated within three days, and those without a time', async () => {
    const names = namesOf(await list());
    const after = Date.now() - 72 * 3_600_000;

    expect(names).toEqual(
      expect.arrayContaining(['SI_2-NOW', 'SI_9-END', 'SA_1-CRT', 'MN_0-BAR', 'NX_6-BAR']),
    );
    for (const old of ['SI_9-OUT', 'SI_1-QRT', 'BL_1-FXR']) expect(names).not.toContain(old);
    for (const { properties } of await list()) {
      if (typeof properties?.lastUpdateTime === 'string')
        expect(Date.parse(properties.lastUpdateTime)).toBeGreaterThan(after);
    }
  });

  test('C.list.2 queryStartTime is a day, written month/day/year, encoded or not', async () => {
    const { body } = await sandbox.get('/sandbox');

    expect(namesOf(await list(everything))).toEqual([...body.events, ...body.oddEvents]);
    expect(namesOf(await list('queryStartTime=1%2F01%2F2000'))).toHaveLength(
      body.events.length + body.oddEvents.length,
    );
    expect(namesOf(await list('queryStartTime=10/5/2025'))).toContain('SA_5-XYZ');
    expect(namesOf(await list('queryStartTime=10/6/2025'))).not.toContain('SA_5-XYZ');
  });

  test.each(['2025-10-05', '24/7/2020', '2/30/2025', 'yesterday', ''])(
    'C.list.3 queryStartTime=%s is 400',
    async (text) => {
      expect(await sandbox.get(`${events}?${version}&queryStartTime=${text}`)).toMatchObject({
        status: 400,
        body: { code: 'InvalidParameter', message: expect.any(String), details: 'queryStartTime' },
      });
    },
  );

  test('C.list.4 It has pages, whose links are the request with a token', async () => {
    const query = `${version}&${everything}`;
    const { body } = await sandbox.get(`${events}?${query}`);

    expect(body.value).toHaveLength(5);
    expect(body.nextLink.startsWith(`${sandbox.url}${events}?${query}&$skipToken=`)).toBe(true);
    const names = namesOf(await list(everything));
    expect(new Set(names).size).toBe(names.length);
    expect(await sandbox.get(`${events}?${query}&$skipToken=x`)).toMatchObject({
      status: 400,
      body: { details: '$skipToken' },
    });
  });

  test('C.list.5 A subscription has the same events, with the ids of the tenant', async () => {
    const own = await list(everything, `/subscriptions/${subscription}${events}`);

    expect(own).toEqual(await list(everything));
    expect(own[0].id).toBe(`${events}/SI_1-QRT`);
    expect((await sandbox.get(`/subscriptions/other${events}?${version}`)).body.code).toBe(
      'SubscriptionNotFound',
    );
  });

  test('C.list.6 A 403 of the list has the nested form, other errors the flat one', async () => {
    const denied = (path: string) => sandbox.get(`${path}?${version}`, { token: 'denied' });

    for (const path of [events, `/subscriptions/${subscription}${events}`]) {
      expect(await denied(path)).toMatchObject({
        status: 403,
        body: { error: { code: 'AuthorizationFailed', message: expect.any(String) } },
      });
    }
    expect(await denied(`${events}/SI_1-QRT`)).toMatchObject({
      status: 403,
      body: { code: 'AuthorizationFailed' },
    });
    expect(await sandbox.get(events)).toMatchObject({
      status: 400,
      body: { code: 'MissingApiVersionParameter' },
    });
    expect(await sandbox.post(`${events}?${version}`)).toMatchObject({
      status: 405,
      body: { code: 'MethodNotAllowed' },
    });
  });
});
