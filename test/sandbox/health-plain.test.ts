import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';

const sandbox = useSandbox();

const version = 'api-version=2025-05-01';
const events = '/providers/Vendor.Health/events';
const path = (id: string) => `${events}/${encodeURIComponent(id)}`;

const read = async (id: string, token = 'clerk'): Promise<Json> =>
  (await sandbox.get(`${path(id)}?${version}`, { token })).body;
const fetchDetails = async (id: string): Promise<Json> =>
  (await sandbox.post(`${path(id)}/fetchEventDetails?${version}`)).body;

const sensitive = ['SA_5-XYZ', 'SA_8-TOK', 'SA_1-CRT', 'SA_2-MIN', 'HA_4-SEC'];

const shown = [
  'eventType',
  'eventSource',
  'status',
  'title',
  'platformInitiated',
  'level',
  'eventLevel',
  'isEventSensitive',
  'isHIR',
  'priority',
  'subscriptionId',
  'lastUpdateTime',
  'impact',
];

describe('the plain event', () => {
  test.each(['SI_1-QRT', 'RC_2-PIR', 'BL_1-FXR', 'MN_0-BAR', 'XF_2-NEW'])(
    'C.plain.1 The plain read of %s, which is not sensitive, returns all fields',
    async (id) => {
      expect(await read(id)).toEqual(await fetchDetails(id));
    },
  );

  test.each(sensitive)(
    'C.plain.2 The plain read of %s, which is sensitive, returns the listed fields only',
    async (id) => {
      const plain = await read(id);
      const full = await fetchDetails(id);

      expect(shown).toEqual(expect.arrayContaining(Object.keys(plain.properties)));
      expect(full.properties.summary).toEqual(expect.any(String));
      expect(plain).toMatchObject({
        id: full.id,
        name: id,
        properties: { isEventSensitive: true, title: full.properties.title },
      });
    },
  );

  test('C.plain.3 Its impact lists the regions, without updates', async () => {
    const { impact } = (await read('SA_5-XYZ')).properties;

    expect(impact).toEqual([
      {
        impactedService: 'Object Storage',
        impactedRegions: [
          {
            impactedRegion: 'North',
            impactedSubscriptions: [expect.any(String)],
            impactedTenants: [expect.any(String)],
            status: 'Active',
          },
        ],
      },
    ]);
  });

  test('C.plain.4 The list returns the same as the plain read, and to a reader no more or less', async () => {
    for (const token of ['clerk', 'reader', 'limited']) {
      const advisories: Json[] = [];
      let link = `${events}?${version}&queryStartTime=1/1/2000`;
      while (link) {
        const { body } = await sandbox.get(link, { token });
        advisories.push(
          ...body.value.filter((one: Json) => one.properties?.eventType === 'SecurityAdvisory'),
        );
        link = body.nextLink;
      }
      expect(advisories).toHaveLength(4);
      for (const one of advisories) expect(one).toEqual(await read(one.name, token));
      expect(JSON.stringify(advisories)).not.toMatch(/summary|description|updates|article|198\.51\.100\.7/);
    }
  });

  test.each([
    ['C.plain.5', 'of an unknown event', `${path('XX_0-NIL')}?${version}`, 404, 'ResourceNotFound'],
    ['C.plain.6', 'without api-version', path('SI_1-QRT'), 400, 'MissingApiVersionParameter'],
  ])('%s One %s is refused in the flat form', async (_id, _what, address, status, code) => {
    const reply = await sandbox.get(address);

    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ code, message: expect.any(String), details: expect.any(String) });
  });

  test('C.plain.7 It can be read but not written', async () => {
    const reply = await sandbox.send('PATCH', `${path('SI_1-QRT')}?${version}`);

    expect(reply).toMatchObject({ status: 405, body: { code: 'MethodNotAllowed' } });
    expect(reply.headers.get('allow')).toBe('GET');
  });

  test('C.plain.8 In a subscription it is the same', async () => {
    const own = `/subscriptions/11111111-2222-4333-8444-555555555555${path('SA_5-XYZ')}?${version}`;

    expect((await sandbox.get(own)).body).toEqual(await read('SA_5-XYZ'));
  });
});

describe('an event that is created', () => {
  const own = '/subscriptions/11111111-2222-4333-8444-555555555555';
  const make = (trackingId: string, properties: Json) =>
    sandbox.post('/sandbox/events', { trackingId, properties });
  const fetchBill = (scope: string, id: string, token = 'clerk') =>
    sandbox.post(`${scope}${path(id)}/fetchBillingCommunicationDetails?${version}`, undefined, { token });

  test('C.plain.9 An advisory without the flag is sensitive', async () => {
    const properties = { eventType: 'SecurityAdvisory', title: 'Unflagged', summary: 'For few' };
    await make('SA_0-UNF', properties);
    await make('SA_0-OPN', { ...properties, isEventSensitive: false });

    const plain = (await read('SA_0-UNF')).properties;
    expect(plain).toMatchObject({ title: 'Unflagged' });
    expect(plain).not.toHaveProperty('summary');
    expect((await fetchDetails('SA_0-UNF')).properties.summary).toBe('For few');
    expect((await read('SA_0-OPN')).properties.summary).toBe('For few');
  });

  test('C.billing.1 The details of a billing event have their own operation in a subscription', async () => {
    expect((await fetchBill(own, 'BL_2-UND')).body).toEqual(await fetchDetails('BL_2-UND'));
    expect((await fetchBill('', 'BL_2-UND')).body.code).toBe('InvalidResourceType');
    expect((await fetchBill(own, 'SI_1-QRT')).body.code).toBe('ResourceNotFound');
  });

  test('C.billing.2 Details of a sensitive event require the permission to fetch', async () => {
    await make('BL_2-UND', { isEventSensitive: true });

    expect((await fetchBill(own, 'BL_2-UND', 'limited')).status).toBe(403);
    expect((await fetchBill(own, 'BL_2-UND')).body.properties.billingId).toBe('B-20418');
  });
});

describe('undocumented events', () => {
  test('C.odd.1 Enumerations can have undocumented values', async () => {
    expect((await read('UW_1-ENU')).properties).toMatchObject({
      eventType: 'Forecast',
      status: 'Paused',
      level: 'Notice',
      links: [{ type: 'Card' }],
      impact: [{ impactedRegions: [{ status: 'Recovering' }] }],
    });
  });

  test('C.odd.2 There can be undocumented fields at every level', async () => {
    expect(await read('XF_2-NEW')).toMatchObject({
      systemData: { createdByType: 'Application' },
      tags: {},
      properties: {
        maintenanceId: 'M-1',
        advisorRecommendations: { httpMethod: 'GET' },
        impact: [{ weight: 0.5, impactedRegions: [{ zones: ['1', '2'] }] }],
      },
    });
  });

  test('C.odd.3 Values can have any type, be null or be missing', async () => {
    expect((await read('WT_3-TYP')).properties).toMatchObject({ title: ['A', 'title'], priority: '3' });
    expect(new Set(Object.values((await read('NL_4-NUL')).properties))).toEqual(new Set([null]));
    expect((await read('NP_5-NIL')).properties).toEqual({});
    expect(Object.keys(await fetchDetails('NX_6-BAR'))).toEqual(['id', 'name', 'type']);
  });

  test('C.odd.4 Parameters can be any JSON, with numbers beyond a double', async () => {
    const { text, body } = await sandbox.get(`${path('UP_7-PAR')}?${version}`);

    expect(body.properties.article.parameters).toEqual([1, 'two', { three: [null, true] }]);
    expect(body.properties.links).toMatchObject([
      { parameters: 'a=1&b=2' },
      { parameters: null },
      { parameters: 42 },
      { parameters: { rcaRequested: 'False', enabled: true, 'a key with blanks': {} } },
    ]);
    expect(text).toContain('"big":12345678901234567890');
  });

  test('C.odd.5 A tracking id can require URL encoding', async () => {
    expect((await fetchDetails('TR 9+ü%')).name).toBe('TR 9+ü%');
  });

  test('C.odd.6 Every text can contain HTML, and regions can lack updates', async () => {
    const { title, summary, description, faqs } = (await read('SI_3-HTM')).properties;

    for (const text of [title, summary, description, faqs[0].answer]) expect(text).toMatch(/<\w|&\w+;/);
    expect((await read('SI_2-NOW')).properties.impact).toMatchObject([
      { impactedRegions: [{ impactedRegion: 'West' }, { status: 'Active' }] },
      { impactedService: 'Block Storage' },
    ]);
  });

  test('C.odd.7 The index lists the purpose of every event', async () => {
    const { body } = await sandbox.get('/sandbox');

    expect(Object.keys(body.eventNotes)).toEqual([...body.events, ...body.oddEvents]);
    for (const about of Object.values(body.eventNotes)) expect(about).toMatch(/\w{4}/);
  });
});
