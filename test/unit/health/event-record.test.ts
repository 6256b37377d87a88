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

// One place for every field of a kind, nested ones included.
const textFields = [
  'billingId',
  'currencyType',
  'description',
  'externalIncidentId',
  'header',
  'hirStage',
  'impactType',
  'reason',
  'summary',
  'title',
] as const;
const flagFields = [
  'enableChatWithUs',
  'enableMicrosoftSupport',
  'isEventSensitive',
  'isHIR',
  'platformInitiated',
] as const;
const timeFields = ['impactMitigationTime', 'impactStartTime', 'lastUpdateTime'] as const;
const structuredFields = [
  'additionalInformation',
  'article',
  'faqs',
  'impact',
  'links',
  'recommendedActions',
] as const;
const enumFields = ['eventLevel', 'eventSource', 'eventSubType', 'eventType', 'level', 'status'] as const;
// Document, C: the fields of `properties`.
const documentFields = [
  ...[...textFields, ...flagFields, ...timeFields, ...structuredFields, ...enumFields],
  ...['duration', 'eventTags', 'newRate', 'oldRate', 'priority'],
];

describe('the event itself', () => {
  test('has the requested address as its key, whatever the upstream calls it', () => {
    const bySubscription = read({}, { trackingId: 'si_1-qrt', subscriptionId: 'SUB-1' });

    expect(bySubscription).toMatchObject({ scope: 'sub-1', trackingId: 'si_1-qrt', ...envelope });
    expect(read({})).toMatchObject({ scope: 'tenant', trackingId: 'SI_1-QRT' });
  });

  test('takes id, name, type and location from outside the properties', () => {
    const beside = { ...envelope, type: '/providers/Vendor.Health/events', location: 'north' };

    expect(parseEvent(address, { ...beside, properties: {} })).toMatchObject(beside);
  });

  test.each([
    ['no properties', envelope],
    ['null for properties', { ...envelope, properties: null }],
    ['a list for properties', { ...envelope, properties: ['title'] }],
    ['empty properties', { ...envelope, properties: {} }],
  ])('has nothing but its address for %s', (_what, body) => {
    const { isPlain, scope, trackingId, id, name, ...rest } = parseEvent(address, body) as HealthEventRecord;

    expect(isPlain).toBe(false);
    expect({ scope, trackingId, id, name }).toEqual({ scope: 'tenant', trackingId: 'SI_1-QRT', ...envelope });
    expect(Object.entries(rest).filter(([, value]) => value !== null)).toEqual([]);
  });

  test('says whether it comes from a list', () => {
    expect(parseEvent(address, envelope, true)).toEqual({ ...read(null), isPlain: true });
  });

  test('has every field of the source document', () => {
    expect(Object.keys(read({}))).toEqual(expect.arrayContaining(documentFields));
  });

  test('ignores fields it does not know', () => {
    const record = read({ title: 'Mail is late', advisorRecommendations: { url: '/x' } });

    expect(record).toEqual(read({ title: 'Mail is late' }));
  });

  test.each([
    ['nothing', null],
    ['a string', 'gone'],
    ['a number', 7],
    ['a list', [envelope]],
    ['an empty object', {}],
    ['a flat error', { code: 'ResourceNotFound', message: 'No such event.' }],
    ['a list result', { value: [envelope] }],
    ['names and properties of another type', { id: 7, name: null, properties: [] }],
  ])('is not found in %s', (_what, body) => {
    expect(parseEvent(address, body)).toBeNull();
  });
});

describe('texts', () => {
  test.each(textFields)('%s is the text as it came, an empty one included', (field) => {
    expect(read({ [field]: '<p>Mail is late</p>' })[field]).toBe('<p>Mail is late</p>');
    expect(read({ [field]: '' })[field]).toBe('');
  });

  test.each(textFields)('%s of another type is null', (field) => {
    expect([7, true, {}, ['a'], null].map((value) => read({ [field]: value })[field])).toEqual(
      Array(5).fill(null),
    );
  });
});

describe('flags', () => {
  test.each(flagFields)('%s is true or false, and null for anything else', (field) => {
    const given = [true, false, 'true', 1, null, undefined];

    expect(given.map((value) => read({ [field]: value })[field])).toEqual([
      true,
      false,
      null,
      null,
      null,
      null,
    ]);
  });
});

describe('instants', () => {
  test.each([
    ['2025-05-13T15:43:48.1203530Z', '2025-05-13T15:43:48.1203530Z', 'all seven fraction digits'],
    ['2025-10-13T14:10:02.0000007Z', '2025-10-13T14:10:02.0000007Z', 'a last digit alone'],
    ['2025-10-13T15:00:00.0000000Z', '2025-10-13T15:00:00.0000000Z', 'fraction digits that are zero'],
    ['2018-11-08T00:00:00Z', '2018-11-08T00:00:00Z', 'an instant without a fraction'],
    ['2025-05-13T15:43:48.1203530+00:00', '2025-05-13T15:43:48.1203530Z', 'UTC as an offset'],
    [
      '2025-05-13T01:13:48.1203530+02:00',
      '2025-05-12T23:13:48.1203530Z',
      'an offset east of UTC, with the fraction',
    ],
    ['2025-12-31T23:30:00-0530', '2026-01-01T05:00:00Z', 'an offset west of UTC, across a year'],
    ['2023-08-11 01:58:30 +0000', '2023-08-11T01:58:30Z', 'blanks instead of T and before the offset'],
    ['2025-05-13T15:43:48.5', '2025-05-13T15:43:48.5Z', 'no offset, which means UTC'],
  ])('%s reads as %s: %s', (given, expected) => {
    const record = read(Object.fromEntries(timeFields.map((field) => [field, given])));

    expect(timeFields.map((field) => record[field])).toEqual([expected, expected, expected]);
  });

  test.each<[unknown, string]>([
    ['0001-01-01T00:00:00Z', 'the stand-in for unset'],
    ['0001-01-01T00:00:00.0000000+00:00', 'the stand-in for unset with a fraction'],
    ['2025-02-30T10:00:00Z', 'a day that is on no calendar'],
    ['2025-05-13T25:00:00Z', 'an hour that is on no clock'],
    ['2025-05-13', 'a date alone'],
    ['5', 'a digit'],
    ['', 'an empty text'],
    [1_747_151_028, 'a number'],
    [null, 'null'],
    [{}, 'an object'],
  ])('%j is null: %s', (given) => {
    const record = read(Object.fromEntries(timeFields.map((field) => [field, given])));

    expect(timeFields.map((field) => record[field])).toEqual([null, null, null]);
  });

  test('of regions and updates keep their fraction digits too', () => {
    const instant = '2025-10-13T14:10:02.0000007Z';
    const region = regionOf({ lastUpdateTime: instant, updates: [{ updateDateTime: instant }] });

    expect(region).toMatchObject({ lastUpdateTime: instant, updates: [{ updateDateTime: instant }] });
  });
});

describe('numbers', () => {
  test.each([
    ['0', 0],
    ['23', 23],
    ['5.4e3', 5400],
    ['2147483647', 2_147_483_647],
    ['-2147483648', -2_147_483_648],
    ['2147483648', null],
    ['1.5', null],
    ['12345678901234567890', null],
    ['"3"', null],
    ['true', null],
    ['null', null],
    ['[3]', null],
  ])('%s reads as %j where an int32 is expected', (json, expected) => {
    const actions = `{"actions":[{"groupId":${json}}]}`;
    const record = read(parseJson(`{"duration":${json},"priority":${json},"recommendedActions":${actions}}`));

    expect(record).toMatchObject({ duration: expected, priority: expected });
    expect(record.recommendedActions?.actions).toEqual([{ actionText: null, groupId: expected }]);
  });

  test.each([
    ['0.12345678901234567891', '0.12345678901234567891'],
    ['12345678901234567890', '12345678901234567890'],
    ['0.9215', '0.9215'],
    ['12', '12'],
    ['0', '0'],
    ['1e-7', '0.0000001'],
    ['-0.25', '-0.25'],
    ['"0.9340"', '0.9340'],
    ['"much"', null],
    ['true', null],
    ['{}', null],
    ['null', null],
  ])('a rate of %s reads as %j', (json, expected) => {
    const record = read(parseJson(`{"newRate":${json},"oldRate":${json}}`));

    expect(record).toMatchObject({ newRate: expected, oldRate: expected });
  });
});

describe('enumerations', () => {
  const words = {
    eventLevel: { Critical: 'CRITICAL', Error: 'ERROR', Warning: 'WARNING', Informational: 'INFORMATIONAL' },
    level: { Critical: 'CRITICAL', Warning: 'WARNING' },
    eventSource: { ResourceHealth: 'RESOURCE_HEALTH', ServiceHealth: 'SERVICE_HEALTH' },
    status: { Active: 'ACTIVE', Resolved: 'RESOLVED' },
    eventType: {
      ServiceIssue: 'SERVICE_ISSUE',
      PlannedMaintenance: 'PLANNED_MAINTENANCE',
      HealthAdvisory: 'HEALTH_ADVISORY',
      RCA: 'RCA',
      EmergingIssues: 'EMERGING_ISSUES',
      SecurityAdvisory: 'SECURITY_ADVISORY',
      Billing: 'BILLING',
    },
    eventSubType: {
      Retirement: 'RETIREMENT',
      ForeignExchangeRateChange: 'FOREIGN_EXCHANGE_RATE_CHANGE',
      Underbilling: 'UNDERBILLING',
      Overbilling: 'OVERBILLING',
      PriceChanges: 'PRICE_CHANGES',
      TaxChanges: 'TAX_CHANGES',
      MeterIDChanges: 'METER_ID_CHANGES',
      UnauthorizedPartyAbuse: 'UNAUTHORIZED_PARTY_ABUSE',
    },
  };
  const known = enumFields.flatMap((field) =>
    Object.entries(words[field]).map(([word, name]) => [field, word, name] as const),
  );

  test.each(known)('%s %s is %s, beside the original text', (field, word, name) => {
    expect(read({ [field]: word })).toMatchObject({ [field]: name, [`${field}Raw`]: word });
  });

  test.each(enumFields)('a text that %s does not know is UNRECOGNIZED, beside the original text', (field) => {
    const strangers = ['FutureKind', 'UNRECOGNIZED', 'active', 'constructor', '__proto__'];

    for (const word of strangers) {
      expect(read({ [field]: word })).toMatchObject({ [field]: 'UNRECOGNIZED', [`${field}Raw`]: word });
    }
  });

  test.each(enumFields)('%s and its original text are null when it is missing or no text', (field) => {
    for (const value of [undefined, null, 3, true, ['Active'], {}]) {
      expect(read({ [field]: value })).toMatchObject({ [field]: null, [`${field}Raw`]: null });
    }
  });

  test.each([
    ['Active', 'ACTIVE'],
    ['Resolved', 'RESOLVED'],
    ['Paused', 'UNRECOGNIZED'],
  ])('a region that is %s is %s', (word, name) => {
    expect(regionOf({ status: word })).toMatchObject({ status: name, statusRaw: word });
  });

  test.each([
    ['Button', 'BUTTON'],
    ['Hyperlink', 'HYPERLINK'],
    ['Tile', 'UNRECOGNIZED'],
  ])('a %s among the links is a %s', (word, name) => {
    expect(linkOf({ type: word })).toMatchObject({ type: name, typeRaw: word });
  });
});

describe('tags', () => {
  const tagsOf = {
    'an event': (eventTags: unknown) => read({ eventTags }),
    'an update': (eventTags: unknown) => regionOf({ updates: [{ eventTags }] })?.updates?.[0],
  };

  describe.each(Object.entries(tagsOf))('of %s', (_where, read) => {
    test('are in their order, beside their original texts', () => {
      const words = [
        'Final PIR',
        'Preliminary PIR',
        'Tag of tomorrow',
        'False Positive',
        'Action Recommended',
      ];

      expect(read(words)).toMatchObject({
        eventTags: ['FINAL_PIR', 'PRELIMINARY_PIR', 'UNRECOGNIZED', 'FALSE_POSITIVE', 'ACTION_RECOMMENDED'],
        eventTagsRaw: words,
      });
    });

    test('leave out in both lists what is no text, so that indexes match', () => {
      expect(read([null, 'Final PIR', '', 4, {}, 'New'])).toMatchObject({
        eventTags: ['FINAL_PIR', 'UNRECOGNIZED'],
        eventTagsRaw: ['Final PIR', 'New'],
      });
    });

    test.each([[undefined], [null], ['Final PIR'], [{}]])('are null when the list is %j', (given) => {
      expect(read(given)).toMatchObject({ eventTags: null, eventTagsRaw: null });
    });

    test('are empty when the list is', () => {
      expect(read([])).toMatchObject({ eventTags: [], eventTagsRaw: [] });
    });
  });
});

describe('nested objects', () => {
  const objects = ['additionalInformation', 'article', 'recommendedActions'] as const;
  const lists = ['faqs', 'impact', 'links'] as const;

  test.each(objects)('%s of another type is null', (field) => {
    expect(['text', 1, true, [], null].map((value) => read({ [field]: value })[field])).toEqual(
      Array(5).fill(null),
    );
  });

  test.each(lists)('%s of another type is null', (field) => {
    expect(['text', 1, true, {}, null].map((value) => read({ [field]: value })[field])).toEqual(
      Array(5).fill(null),
    );
  });

  test.each(lists)('entries of %s that are no objects are dropped', (field) => {
    expect(read({ [field]: [null, 'text', {}, 4, ['x'], {}] })[field]).toHaveLength(2);
    expect(read({ [field]: [] })[field]).toEqual([]);
  });

  test('have every field, null where it is missing', () => {
    const record = read({
      additionalInformation: {},
      article: {},
      faqs: [{}],
      impact: [{ impactedRegions: [{ updates: [{}] }] }, {}],
      links: [{ displayText: {} }, {}],
      recommendedActions: { actions: [{}] },
    });

    const blankLink = { bladeName: null, extensionName: null, type: null, typeRaw: null, parameters: null };
    expect(record).toMatchObject({
      additionalInformation: { message: null },
      article: { articleContent: null, articleId: null, parameters: null },
      faqs: [{ answer: null, localeCode: null, question: null }],
      impact: [
        {
          impactedService: null,
          impactedServiceGuid: null,
          impactedRegions: [
            {
              impactedRegion: null,
              impactedSubscriptions: null,
              impactedTenants: null,
              lastUpdateTime: null,
              status: null,
              statusRaw: null,
              updates: [{ eventTags: null, eventTagsRaw: null, summary: null, updateDateTime: null }],
            },
          ],
        },
        { impactedService: null, impactedServiceGuid: null, impactedRegions: null },
      ],
      links: [
        { ...blankLink, displayText: { localizedValue: null, value: null } },
        { ...blankLink, displayText: null },
      ],
      recommendedActions: { actions: [{ actionText: null, groupId: null }], localeCode: null, message: null },
    });
  });

  test('keep their values and their order', () => {
    const given = {
      additionalInformation: { message: 'More within the hour.' },
      faqs: [
        { answer: 'No.', localeCode: 'en', question: 'Is mail lost?' },
        { answer: 'Nein.', localeCode: 'de', question: 'Geht Post verloren?' },
      ],
      impact: [
        {
          impactedService: 'Mail Delivery',
          impactedServiceGuid: '5e71ce00-0000-4000-8000-000000000001',
          impactedRegions: [
            {
              impactedRegion: 'North',
              impactedSubscriptions: ['sub-1', 'sub-2'],
              impactedTenants: ['tenant-1'],
              updates: [{ summary: 'The cause is known.' }, { summary: 'We are looking.' }],
            },
          ],
        },
      ],
      links: [
        {
          bladeName: 'Review',
          extensionName: 'Health',
          displayText: { localizedValue: 'Bitte', value: 'Please' },
        },
      ],
      recommendedActions: {
        actions: [
          { actionText: 'Renew both keys.', groupId: 1 },
          { actionText: 'Look at the log.', groupId: 2 },
        ],
        localeCode: 'en',
        message: 'Renew first.',
      },
    };

    expect(read(given)).toMatchObject(given);
  });

  test('lists of ids leave out what is no text, and are null when they are no lists', () => {
    const region = regionOf({ impactedSubscriptions: ['a', null, 1, 'b'], impactedTenants: 'tenant-1' });

    expect(region).toMatchObject({ impactedSubscriptions: ['a', 'b'], impactedTenants: null });
  });

  test('a service guid of zeros, which stands for unset, is null', () => {
    const impactedServiceGuid = '00000000-0000-0000-0000-000000000000';

    expect(read({ impact: [{ impactedServiceGuid }] }).impact?.[0]?.impactedServiceGuid).toBeNull();
  });
});

describe('untyped parameters', () => {
  const parametersOf = {
    'an article': (parameters: unknown) => read({ article: { parameters } }).article?.parameters,
    'a link': (parameters: unknown) => linkOf({ parameters })?.parameters,
  };

  describe.each(Object.entries(parametersOf))('of %s', (_where, parameters) => {
    test.each([
      ['a flat map', { rcaRequested: 'False', trackingId: 'SI_1-QRT' }],
      ['numbers, flags and null', { attempt: 3, ratio: 0.25, urgent: true, owner: null }],
      ['nested maps and lists', { window: { from: 9, days: ['MO', { of: [null, 2] }] } }],
      ['an empty map', {}],
      ['a list', ['a', 1, null]],
      ['a text', 'none'],
      ['a number', 0],
      ['false', false],
    ])('are passed on unchanged: %s', (_what, given) => {
      expect(parameters(given)).toEqual(given);
    });

    test.each([[undefined], [null]])('are null for %j', (given) => {
      expect(parameters(given)).toBeNull();
    });

    test('return a number too long for a double as text with every digit', () => {
      const given = parseJson('{"size":12345678901234567890,"deep":[{"rate":0.12345678901234567891}],"n":1}');

      expect(JSON.stringify(parameters(given))).toBe(
        '{"size":"12345678901234567890","deep":[{"rate":"0.12345678901234567891"}],"n":1}',
      );
    });

    test('keep a name that is special in JavaScript', () => {
      const given = '{"__proto__":{"admin":true},"constructor":"x","isLosslessNumber":true,"value":"7"}';

      expect(JSON.stringify(parameters(parseJson(given)))).toBe(given);
    });
  });
});
