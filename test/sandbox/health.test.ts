import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';

const sandbox = useSandbox();

const version = 'api-version=2025-05-01';
const fetchEvent = (id: string, query = version) =>
  sandbox.post(`/providers/Vendor.Health/events/${id}/fetchEventDetails?${query}`);

async function allEvents(): Promise<Json[]> {
  const { body } = await sandbox.get('/sandbox');
  return Promise.all(body.events.map(async (id: string) => (await fetchEvent(id)).body));
}

/** Every name of an object at any depth, except inside the untyped maps. */
function pathsOf(value: Json, prefix = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((one) => pathsOf(one, prefix));
  if (typeof value !== 'object' || value === null || prefix.endsWith('parameters')) return [prefix];
  return Object.entries(value).flatMap(([name, one]) =>
    [prefix, pathsOf(one, prefix ? `${prefix}.${name}` : name)].flat(),
  );
}

const propertyNames =
  'additionalInformation.message article.articleContent article.articleId article.parameters billingId currencyType description duration enableChatWithUs enableMicrosoftSupport eventLevel eventSource eventSubType eventTags eventType externalIncidentId faqs.answer faqs.localeCode faqs.question header hirStage impact.impactedService impact.impactedServiceGuid impact.impactedRegions.impactedRegion impact.impactedRegions.impactedSubscriptions impact.impactedRegions.impactedTenants impact.impactedRegions.lastUpdateTime impact.impactedRegions.status impact.impactedRegions.updates.eventTags impact.impactedRegions.updates.summary impact.impactedRegions.updates.updateDateTime impactMitigationTime impactStartTime lastUpdateTime impactType isEventSensitive isHIR level links.bladeName links.extensionName links.type links.displayText.localizedValue links.displayText.value links.parameters newRate oldRate platformInitiated priority reason recommendedActions.actions.actionText recommendedActions.actions.groupId recommendedActions.localeCode recommendedActions.message status summary title';

describe('fetch event details', () => {
  test('C.fetch.1 An event has the id, name and type of its tracking id', async () => {
    const { status, body } = await fetchEvent('SI_1-QRT');

    expect(status).toBe(200);
    expect(body).toMatchObject({
      name: 'SI_1-QRT',
      type: '/providers/Vendor.Health/events',
      location: 'north',
    });
    expect(body.id).toMatch(/\/events\/SI_1-QRT$/);
  });

  test('C.fetch.2 Every field of an event is set in at least one event', async () => {
    const seen = new Set((await allEvents()).flatMap((one) => pathsOf(one.properties)));

    for (const name of propertyNames.split(' ')) expect(seen, name).toContain(name);
  });

  test.each([
    [
      'eventType',
      [
        'ServiceIssue',
        'PlannedMaintenance',
        'HealthAdvisory',
        'RCA',
        'EmergingIssues',
        'SecurityAdvisory',
        'Billing',
      ],
    ],
    [
      'eventSubType',
      [
        'Retirement',
        'ForeignExchangeRateChange',
        'Underbilling',
        'Overbilling',
        'PriceChanges',
        'TaxChanges',
        'MeterIDChanges',
        'UnauthorizedPartyAbuse',
        'FutureKind',
      ],
    ],
    ['eventLevel', ['Critical', 'Error', 'Warning', 'Informational']],
    ['level', ['Critical', 'Warning']],
    ['eventSource', ['ResourceHealth', 'ServiceHealth']],
    ['status', ['Active', 'Resolved']],
  ])('C.enum.1 Every value of %s occurs', async (name, values) => {
    const seen = new Set((await allEvents()).map((one) => one.properties[name]));
    seen.delete(undefined);

    expect([...seen].sort()).toEqual([...values].sort());
  });

  test('C.enum.2 Every link type and event tag occurs', async () => {
    const events = await allEvents();
    const links = events.flatMap((one) => one.properties.links ?? []).map((link: Json) => link.type);
    const tags = new Set(events.flatMap((one) => one.properties.eventTags ?? []));

    expect([...new Set(links)].sort()).toEqual(['Button', 'Hyperlink']);
    for (const tag of ['Action Recommended', 'False Positive', 'Preliminary PIR', 'Final PIR'])
      expect(tags).toContain(tag);
  });

  test('C.fetch.3 A sensitive event comes with description, summary and region updates', async () => {
    const { properties } = (await fetchEvent('SA_5-XYZ')).body;

    expect(properties).toMatchObject({
      isEventSensitive: true,
      description: expect.any(String),
      summary: expect.any(String),
    });
    expect(properties.impact[0].impactedRegions[0].updates[0].summary).toEqual(expect.any(String));
  });

  test('C.fetch.4 Times can have seven decimals, parameters any JSON, and articles HTML', async () => {
    const { properties } = (await fetchEvent('SI_1-QRT')).body;

    expect(properties.lastUpdateTime).toMatch(/\.\d{7}Z$/);
    expect(properties.article.parameters).toMatchObject({
      attempt: 3,
      owner: null,
      window: { days: ['MO', 'TU'] },
    });
    expect(properties.article.articleContent).toMatch(/^<html>/);
  });

  test('C.fetch.5 An event can lack almost every field', async () => {
    const { body } = await fetchEvent('MN_0-BAR');

    expect(Object.keys(body)).toEqual(['id', 'name', 'type', 'properties']);
    expect(Object.keys(body.properties)).toHaveLength(2);
  });

  test('C.limit.1 Priorities lie between 0 and 23', async () => {
    const priorities = (await allEvents())
      .map((one) => one.properties.priority)
      .filter((one) => one !== undefined);

    expect(Math.min(...priorities)).toBe(0);
    expect(Math.max(...priorities)).toBe(23);
  });

  test('C.fetch.6 The same event can be read in a subscription', async () => {
    const path = `/providers/Vendor.Health/events/HA_3-RTR/fetchEventDetails?${version}`;
    const known = await sandbox.post(`/subscriptions/11111111-2222-4333-8444-555555555555${path}`);
    const unknown = await sandbox.post(`/subscriptions/other${path}`);

    expect(known.body).toEqual((await fetchEvent('HA_3-RTR')).body);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'SubscriptionNotFound' } });
  });

  test.each([
    ['C.error.1', 'An unknown event', 'XX_0-NIL', version, 404, 'ResourceNotFound'],
    ['C.error.2', 'A missing api-version', 'SI_1-QRT', '', 400, 'MissingApiVersionParameter'],
    [
      'C.error.3',
      'Another api-version',
      'SI_1-QRT',
      'api-version=2023-04-01',
      400,
      'InvalidApiVersionParameter',
    ],
  ])('%s %s is refused in the flat form', async (_id, _what, id, query, status, code) => {
    const reply = await fetchEvent(id, query);

    expect(reply.status).toBe(status);
    expect(reply.body).toEqual({ code, message: expect.any(String), details: expect.any(String) });
  });

  test('C.error.4 Other methods and other actions are refused in the flat form', async () => {
    const path = '/providers/Vendor.Health/events/SI_1-QRT';

    expect(await sandbox.get(`${path}/fetchEventDetails?${version}`)).toMatchObject({
      status: 405,
      body: { code: 'MethodNotAllowed' },
    });
    expect(await sandbox.post(`${path}/forget?${version}`)).toMatchObject({
      status: 404,
      body: { code: expect.any(String) },
    });
  });
});
