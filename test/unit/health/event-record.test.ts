import { describe, expect, test } from 'vitest';
import { type HealthEventRecord, parseEvent } from '../../../src/health/event-record.ts';
import { parseJson } from '../../../src/runtime/json.ts';

const address = { trackingId: 'SI_1-QRT', subscriptionId: null };
const envelope = { id: '/providers/Vendor.Health/events/SI_1-QRT', name: 'SI_1-QRT' };

function read(properties: unknown, from: { trackingId: string; subscriptionId: string | null } = address) {
  return parseEvent(from, { ...envelope, properties }) as HealthEventRecord;
}

const regionOf = (region: unknown) =>
  read({ impact: [{ impactedRegions: [region] }] }).impact?.[0]?.impactedRegions?.[0];
const linkOf = (link: unknown) => read({ links: [link] }).links?.[0];

// The fields of `properties` of the source document, by kind.
const texts = [
  ...['billingId', 'currencyType', 'description', 'externalIncidentId', 'header', 'hirStage'],
  ...['impactType', 'reason', 'summary', 'title'],
] as const;
const flags = [
  ...['enableChatWithUs', 'enableMicrosoftSupport', 'isEventSensitive', 'isHIR', 'platformInitiated'],
] as const;
const times = ['impactMitigationTime', 'impactStartTime', 'lastUpdateTime'] as const;
const objects = ['additionalInformation', 'article', 'recommendedActions'] as const;
const lists = ['faqs', 'impact', 'links'] as const;
const enums = ['eventLevel', 'eventSource', 'eventSubType', 'eventType', 'level', 'status'] as const;
const numbers = ['duration', 'eventTags', 'newRate', 'oldRate', 'priority'] as const;

/** What is read of each of these fields where the upstream has this value for all of them. */
const readAll = (fields: readonly string[], value: unknown) => {
  const record = read(Object.fromEntries(fields.map((field) => [field, value]))) as unknown as Record<
    string,
    unknown
  >;
  return fields.map((field) => record[field]);
};
const same = (fields: readonly string[], value: unknown) => fields.map(() => value);

describe('the event itself', () => {
  test('has the requested address as its key, whatever the upstream calls it', () => {
    const bySubscription = read({}, { trackingId: 'si_1-qrt', subscriptionId: 'SUB-1' });

    expect(bySubscription).toMatchObject({ scope: 'sub-1', trackingId: 'si_1-qrt', ...envelope });
    expect(read({})).toMatchObject({ scope: 'tenant', trackingId: 'SI_1-QRT' });
  });

  test('takes id, name, type and location from outside the properties, and says whether it comes from a list', () => {
    const beside = { ...envelope, type: '/providers/Vendor.Health/events', location: 'north' };

    expect(parseEvent(address, { ...beside, properties: {} })).toMatchObject({ ...beside, isPlain: false });
    expect(parseEvent(address, envelope, true)).toEqual({ ...read(null), isPlain: true });
  });

  test('has every field of the source document, and no other', () => {
    const fields = [...texts, ...flags, ...times, ...objects, ...lists, ...enums, ...numbers];

    expect(Object.keys(read({}))).toEqual(expect.arrayContaining(fields));
    expect(read({ title: 'A', advisorRecommendations: {} })).toEqual(read({ title: 'A' }));
  });

  test.each([
    [{}],
    [{ code: 'ResourceNotFound', message: 'No such event.' }],
    [{ id: 7, name: null, properties: [] }],
  ])('is not found in %j', (body) => {
    expect(parseEvent(address, body)).toBeNull();
  });
});

test('texts are as they came, empty ones included, and null where they are none', () => {
  for (const text of ['<p>Mail is late</p>', '']) expect(readAll(texts, text)).toEqual(same(texts, text));
  for (const other of [7, true, {}, ['a'], null]) expect(readAll(texts, other)).toEqual(same(texts, null));
});

test('instants are in UTC, and null where they are none', () => {
  const [given, read] = ['2025-05-13T01:13:48.1203530+02:00', '2025-05-12T23:13:48.1203530Z'];
  const region = regionOf({ lastUpdateTime: given, updates: [{ updateDateTime: given }] });

  expect(readAll(times, given)).toEqual(same(times, read));
  expect(region).toMatchObject({ lastUpdateTime: read, updates: [{ updateDateTime: read }] });
  for (const none of ['0001-01-01T00:00:00Z', '2025-05-13', 1_747_151_028, null])
    expect(readAll(times, none)).toEqual(same(times, null));
});

describe('a number', () => {
  test.each([
    ['2147483647', 2_147_483_647],
    ['2147483648', null],
    ['1.5', null],
    ['"3"', null],
  ])('%s reads as %j where an int32 is expected', (json, expected) => {
    const actions = `{"actions":[{"groupId":${json}}]}`;
    const record = read(parseJson(`{"duration":${json},"priority":${json},"recommendedActions":${actions}}`));

    expect(record).toMatchObject({ duration: expected, priority: expected });
    expect(record.recommendedActions?.actions).toEqual([{ actionText: null, groupId: expected }]);
  });

  test.each([
    ['0.12345678901234567891', '0.12345678901234567891'],
    ['"0.9340"', '0.9340'],
    ['"much"', null],
  ])('%s reads as %j where a rate is expected', (json, expected) => {
    const record = read(parseJson(`{"newRate":${json},"oldRate":${json}}`));

    expect(record).toMatchObject({ newRate: expected, oldRate: expected });
  });
});

describe('an enumeration', () => {
  const words = {
    eventLevel: 'Critical Error Warning Informational',
    level: 'Critical Warning',
    eventSource: 'ResourceHealth ServiceHealth',
    status: 'Active Resolved',
    eventType: 'ServiceIssue PlannedMaintenance HealthAdvisory RCA EmergingIssues SecurityAdvisory Billing',
    eventSubType:
      'Retirement ForeignExchangeRateChange Underbilling Overbilling PriceChanges TaxChanges MeterIDChanges UnauthorizedPartyAbuse',
  };
  const nameOf = (word: string) => word.replaceAll(/(?<=[a-z])(?=[A-Z])|(?<=ID)(?=C)/g, '_').toUpperCase();

  test.each(enums)('%s has a member for each word, beside the original text', (field) => {
    for (const word of words[field].split(' '))
      expect(read({ [field]: word })).toMatchObject({ [field]: nameOf(word), [`${field}Raw`]: word });
    for (const word of ['FutureKind', 'UNRECOGNIZED', 'active', 'constructor', '__proto__'])
      expect(read({ [field]: word })).toMatchObject({ [field]: 'UNRECOGNIZED', [`${field}Raw`]: word });
    for (const value of [undefined, null, 3, ['Active'], {}])
      expect(read({ [field]: value })).toMatchObject({ [field]: null, [`${field}Raw`]: null });
  });

  test('of a region and of a link is one, too', () => {
    expect(regionOf({ status: 'Active' })).toMatchObject({ status: 'ACTIVE', statusRaw: 'Active' });
    expect(linkOf({ type: 'Tile' })).toMatchObject({ type: 'UNRECOGNIZED', typeRaw: 'Tile' });
  });
});

test.each([
  ['an event', (eventTags: unknown) => read({ eventTags })],
  ['an update', (eventTags: unknown) => regionOf({ updates: [{ eventTags }] })?.updates?.[0]],
])(
  'tags of %s are in their order, beside their original texts, and without what is no text',
  (_where, readTags) => {
    const words = ['Final PIR', 'Preliminary PIR', 'New', 'False Positive', 'Action Recommended'];

    expect(readTags([null, ...words, '', 4, {}])).toMatchObject({
      eventTags: ['FINAL_PIR', 'PRELIMINARY_PIR', 'UNRECOGNIZED', 'FALSE_POSITIVE', 'ACTION_RECOMMENDED'],
      eventTagsRaw: words,
    });
    expect(readTags([])).toMatchObject({ eventTags: [], eventTagsRaw: [] });
    for (const none of [undefined, null, 'Final PIR', {}])
      expect(readTags(none)).toMatchObject({ eventTags: null, eventTagsRaw: null });
  },
);

describe('nested objects', () => {
  test('of another type are null, and entries of lists that are no objects are dropped', () => {
    for (const other of ['text', 1, true, null]) {
      expect(readAll(objects, other)).toEqual(same(objects, null));
      expect(readAll(lists, other)).toEqual(same(lists, null));
    }
    expect(readAll(objects, [])).toEqual(same(objects, null));
    expect(readAll(lists, {})).toEqual(same(lists, null));
    for (const list of readAll(lists, [null, 'text', {}, 4, ['x'], {}])) expect(list).toHaveLength(2);
    expect(readAll(lists, [])).toEqual(same(lists, []));
  });

  test('leave out ids that are no texts, and the service GUID of zeros, which stands for unset', () => {
    const impactedServiceGuid = '00000000-0000-0000-0000-000000000000';
    const region = regionOf({ impactedSubscriptions: ['a', null, 1, 'b'], impactedTenants: 'tenant-1' });

    expect(region).toMatchObject({ impactedSubscriptions: ['a', 'b'], impactedTenants: null });
    expect(read({ impact: [{ impactedServiceGuid }] }).impact?.[0]?.impactedServiceGuid).toBeNull();
  });
});

test.each([
  ['an article', (parameters: unknown) => read({ article: { parameters } }).article?.parameters],
  ['a link', (parameters: unknown) => linkOf({ parameters })?.parameters],
])('untyped parameters of %s are passed on, a number too long for a double as text', (_where, parameters) => {
  for (const given of [{ window: { from: 9 } }, ['a', 1, null], 'none', 0])
    expect(parameters(given)).toEqual(given);
  for (const none of [undefined, null]) expect(parameters(none)).toBeNull();
  const long = parseJson('{"size":12345678901234567890,"deep":[{"rate":0.12345678901234567891}],"n":1}');
  const special = '{"__proto__":{"admin":true},"constructor":"x","isLosslessNumber":true,"value":"7"}';

  expect(JSON.stringify(parameters(long))).toBe(
    '{"size":"12345678901234567890","deep":[{"rate":"0.12345678901234567891"}],"n":1}',
  );
  expect(JSON.stringify(parameters(parseJson(special)))).toBe(special);
});
