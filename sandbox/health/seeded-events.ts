import { LosslessNumber } from 'lossless-json';

/** A health event of area C. Only its id, name and type are always present. */
export interface HealthEvent {
  readonly id: string;
  readonly name: string;
  readonly type: string;
  readonly location?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
}

/** An event, and what it is for. */
export interface SeededEvent {
  readonly description: string;
  readonly event: HealthEvent;
}

function seededEvent(
  name: string,
  about: string,
  properties?: HealthEvent['properties'],
  more: Readonly<Record<string, unknown>> = {},
): SeededEvent {
  const names = {
    id: `/providers/Vendor.Health/events/${name}`,
    name,
    type: '/providers/Vendor.Health/events',
  };
  return {
    description: about,
    event: { ...names, ...more, ...(properties === undefined ? {} : { properties }) },
  };
}

/** Gives the time that many hours before the start of the sandbox. */
function hoursBefore(startedAt: number) {
  return (hours: number): string => new Date(startedAt - hours * 3_600_000).toISOString();
}

/** What ranks an event that the service publishes. */
const kind = (eventType: string, status: string, eventLevel: string, priority?: number) => ({
  eventType,
  eventSource: 'ServiceHealth',
  status,
  eventLevel,
  ...(priority === undefined ? {} : { priority }),
});

/** The id of an invented service. */
function serviceGuid(index: number): string {
  return `5e71ce00-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

const subscription = '11111111-2222-4333-8444-555555555555';
const tenant = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

/** An event with every field of section C that is not about billing. Times have seven decimals. */
const serviceIssue = {
  additionalInformation: { message: 'Further details follow within the hour.' },
  article: {
    articleContent:
      '<html><body><h1>Mail is late</h1><p>Queues are <b>longer</b> than usual.</p></body></html>',
    articleId: 'A-7719',
    // The type of the values is not shown (Gaps for C): any JSON may stand here.
    parameters: {
      rcaRequested: 'False',
      attempt: 3,
      ratio: 0.25,
      owner: null,
      window: { from: 9, days: ['MO', 'TU'] },
    },
  },
  description: 'Mail sent from North arrives late. Nothing is lost.',
  duration: 5_400,
  enableChatWithUs: true,
  enableMicrosoftSupport: true,
  eventLevel: 'Error',
  eventSource: 'ServiceHealth',
  eventTags: ['Action Recommended', 'Preliminary PIR'],
  eventType: 'ServiceIssue',
  externalIncidentId: 'EXT-55012',
  faqs: [
    { question: 'Is mail lost?', answer: 'No. It is delivered late.', localeCode: 'en' },
    { question: 'Geht Post verloren?', answer: 'Nein. Sie kommt später an.', localeCode: 'de' },
  ],
  header: 'Your service might have been impacted',
  hirStage: 'active',
  impact: [
    {
      impactedService: 'Mail Delivery',
      impactedServiceGuid: '5e71ce00-0000-4000-8000-000000000001',
      impactedRegions: [
        {
          impactedRegion: 'North',
          impactedSubscriptions: [subscription],
          impactedTenants: [tenant],
          lastUpdateTime: '2025-10-13T15:43:48.1203530Z',
          status: 'Active',
          updates: [
            {
              eventTags: ['Preliminary PIR'],
              summary: 'The cause is known: a full disk.',
              updateDateTime: '2025-10-13T15:43:48.1203530Z',
            },
            {
              eventTags: [],
              summary: 'We are looking into it.',
              updateDateTime: '2025-10-13T14:10:02.0000007Z',
            },
          ],
        },
        {
          impactedRegion: 'West',
          impactedSubscriptions: [],
          impactedTenants: [],
          lastUpdateTime: '2025-10-13T15:00:00.0000000Z',
          status: 'Resolved',
        },
      ],
    },
  ],
  impactMitigationTime: '2025-10-13T18:00:00.0000000Z',
  impactStartTime: '2025-10-13T13:58:11.4407180Z',
  impactType: 'Delay',
  isEventSensitive: false,
  isHIR: true,
  lastUpdateTime: '2025-10-13T15:43:48.1203530Z',
  level: 'Critical',
  links: [
    {
      bladeName: 'RequestReview',
      extensionName: 'Health',
      type: 'Button',
      displayText: { localizedValue: 'Um einen Bericht bitten', value: 'Request a review' },
      parameters: {
        trackingId: 'SI_1-QRT',
        rcaRequested: 'False',
        retries: 2,
        filter: { regions: ['North'], all: null },
      },
    },
    {
      bladeName: 'Overview',
      extensionName: 'Health',
      type: 'Hyperlink',
      displayText: { localizedValue: 'See all issues', value: 'See all issues' },
      parameters: {},
    },
  ],
  platformInitiated: true,
  priority: 1,
  reason: 'Platform',
  recommendedActions: {
    actions: [
      { actionText: 'Send urgent messages another way.', groupId: 1 },
      { actionText: 'Do not send the same message again.', groupId: 2 },
    ],
    localeCode: 'en',
    message: 'What you can do meanwhile',
  },
  status: 'Active',
  summary: 'Mail is delayed by up to an hour.',
  title: 'Mail delivery is delayed in North',
};

/** A sensitive event with what only the fetch operation returns: description, summary and region updates. */
const securityAdvisory = {
  eventType: 'SecurityAdvisory',
  eventSubType: 'UnauthorizedPartyAbuse',
  eventSource: 'ServiceHealth',
  eventLevel: 'Critical',
  level: 'Critical',
  status: 'Active',
  title: 'Renew the access keys of your storage',
  description:
    'A party without authorization used access keys of 3 storage accounts between 1 and 4 October.',
  summary: 'Access keys were used by someone else.',
  header: 'Action needed: renew access keys',
  eventTags: ['Action Recommended'],
  isEventSensitive: true,
  isHIR: false,
  platformInitiated: false,
  priority: 2,
  impactStartTime: '2025-10-01T04:12:00Z',
  lastUpdateTime: '2025-10-05T10:00:00Z',
  impact: [
    {
      impactedService: 'Object Storage',
      impactedServiceGuid: '5e71ce00-0000-4000-8000-000000000003',
      impactedRegions: [
        {
          impactedRegion: 'North',
          impactedSubscriptions: [subscription],
          impactedTenants: [tenant],
          status: 'Active',
          lastUpdateTime: '2025-10-05T10:00:00Z',
          updates: [
            {
              eventTags: ['Action Recommended'],
              summary: 'The addresses that used the keys: 198.51.100.7 and 203.0.113.20.',
              updateDateTime: '2025-10-05T10:00:00Z',
            },
          ],
        },
      ],
    },
  ],
  recommendedActions: {
    actions: [{ actionText: 'Renew both keys of each storage account.', groupId: 1 }],
    localeCode: 'en',
    message: 'Renew the keys first, then look at the access log.',
  },
};

/** Events updated shortly before the sandbox started, so that the usual list has some. */
function recentHealthEvents(before: ReturnType<typeof hoursBefore>): readonly SeededEvent[] {
  return [
    seededEvent('SI_2-NOW', 'service issue of an hour ago; regions without updates', {
      ...kind('ServiceIssue', 'Active', 'Warning', 2),
      title: 'Virtual machines in West restart',
      summary: 'Some machines restart without a cause of their own.',
      description: 'Hosts of one row lose their power supply.',
      level: 'Warning',
      isHIR: false,
      isEventSensitive: false,
      platformInitiated: true,
      impactStartTime: before(3).replace('Z', '0001Z'),
      lastUpdateTime: before(1).replace('Z', '4071Z'),
      impact: [
        {
          impactedService: 'Virtual Machines',
          impactedServiceGuid: serviceGuid(4),
          impactedRegions: [{ impactedRegion: 'West' }, { impactedRegion: 'West US', status: 'Active' }],
        },
        { impactedService: 'Block Storage', impactedServiceGuid: serviceGuid(2) },
      ],
    }),
    seededEvent('SI_3-HTM', 'service issue with HTML in every text', {
      ...kind('ServiceIssue', 'Active', 'Error', 5),
      title: 'Sign-in &amp; sign-out fail',
      header: '<b>Sign-in</b>',
      summary: '<p>Sign-in fails. <a href="https://status.example/1">Status</a></p>',
      description:
        '<div onclick="alert(1)">Use <code>device codes</code><br/>meanwhile.</div><script>x</script>',
      lastUpdateTime: before(26),
      article: { articleId: 'A-1', articleContent: '<html><body><h1>&Uuml;bersicht</h1></body></html>' },
      faqs: [{ question: '<i>Why?</i>', answer: '<p>A certificate.</p>', localeCode: 'en-us' }],
    }),
    seededEvent('SI_9-END', 'service issue, resolved, of nearly three days ago', {
      ...kind('ServiceIssue', 'Resolved', 'Critical', 12),
      title: 'Names were not resolved',
      level: 'Critical',
      duration: 3_600,
      impactMitigationTime: before(70),
      lastUpdateTime: before(70),
    }),
    seededEvent('SI_9-OUT', 'service issue, resolved, of more than three days ago', {
      ...kind('ServiceIssue', 'Resolved', 'Warning', 14),
      title: 'Queues were full',
      lastUpdateTime: before(74),
    }),
    seededEvent('PM_8-SQL', 'planned maintenance of the days to come', {
      ...kind('PlannedMaintenance', 'Active', 'Warning', 9),
      title: 'Databases move to new hosts',
      enableChatWithUs: false,
      enableMicrosoftSupport: false,
      impactStartTime: before(-72),
      impactMitigationTime: before(-80),
      lastUpdateTime: before(5),
      impact: [
        {
          impactedService: 'SQL Database',
          impactedServiceGuid: serviceGuid(5),
          impactedRegions: [{ impactedRegion: 'North', impactedSubscriptions: [], status: 'Active' }],
        },
      ],
    }),
    seededEvent('EI_4-DNS', 'emerging issue of half an hour ago, without a priority', {
      ...kind('EmergingIssues', 'Active', 'Critical'),
      title: 'Names are resolved slowly',
      lastUpdateTime: before(0.5),
    }),
    seededEvent('RC_5-FIN', 'root cause with a preliminary review', {
      ...kind('RCA', 'Resolved', 'Error', 7),
      title: 'What happened the day before yesterday',
      eventTags: ['Preliminary PIR'],
      lastUpdateTime: before(50),
    }),
    seededEvent('HA_4-SEC', 'health advisory, sensitive, found false on the resource side', {
      eventType: 'HealthAdvisory',
      eventSource: 'ResourceHealth',
      status: 'Active',
      title: 'A certificate of yours is about to expire',
      summary: 'Certificate 7c:41 of app01.',
      description: 'Renew the certificate of app01 within a week.',
      eventLevel: 'Error',
      eventTags: ['False Positive'],
      isEventSensitive: true,
      priority: 18,
      lastUpdateTime: before(12),
    }),
    seededEvent('SA_1-CRT', 'security advisory, sensitive, every field, without a priority', {
      ...securityAdvisory,
      title: 'Signing keys were renewed',
      summary: 'Keys of <b>2</b> registries were renewed.',
      priority: undefined,
      subscriptionId: '11111111-2222-4333-8444-555555555555',
      lastUpdateTime: before(2).replace('Z', '5550Z'),
      article: { articleId: 'A-77', articleContent: '<p>Keys</p>', parameters: { keys: 2, renewed: 'True' } },
      faqs: [{ question: 'Must I act?', answer: 'Pull the images again.', localeCode: 'en' }],
      links: [{ type: 'Hyperlink', displayText: { value: 'Registries' }, parameters: { registry: 'r1' } }],
    }),
    seededEvent('SA_2-MIN', 'security advisory, sensitive, with a summary and little else', {
      eventType: 'SecurityAdvisory',
      isEventSensitive: true,
      title: 'Look at your sign-ins',
      summary: 'Sign-ins from 192.0.2.44 were not yours.',
      lastUpdateTime: before(40),
    }),
  ];
}

/**
 * The events that comply with the document. Together they use every field of section C and every value of its
 * enumerations. The first have fixed times, the others times relative to the start of the sandbox.
 */
export function seedHealthEvents(startedAt: number): readonly SeededEvent[] {
  return [...datedHealthEvents, ...recentHealthEvents(hoursBefore(startedAt))];
}

const datedHealthEvents: readonly SeededEvent[] = [
  seededEvent(
    'SI_1-QRT',
    'service issue, active, with every field there is but those of billing',
    serviceIssue,
    { location: 'north' },
  ),
  seededEvent('HA_3-RTR', 'health advisory, a retirement', {
    ...kind('HealthAdvisory', 'Active', 'Warning', 21),
    eventSubType: 'Retirement',
    title: 'The first generation of message queues ends in June',
    eventTags: ['Action Recommended'],
    lastUpdateTime: '2025-09-01T12:00:00Z',
    isEventSensitive: false,
  }),
  seededEvent('RC_2-PIR', 'root cause, final review, high incident rate, a summary in HTML', {
    ...kind('RCA', 'Resolved', 'Error', 4),
    title: 'What happened on 3 July',
    summary: '<p>A certificate was not renewed.</p>',
    level: 'Warning',
    eventTags: ['Final PIR'],
    hirStage: 'resolved',
    isHIR: true,
    duration: 7_260,
    impactStartTime: '2025-07-03T09:00:00Z',
    impactMitigationTime: '2025-07-03T11:01:00Z',
    lastUpdateTime: '2025-07-16T15:00:00Z',
  }),
  seededEvent('EI_9-NET', 'emerging issue; the highest priority', {
    ...kind('EmergingIssues', 'Active', 'Critical', 0),
    title: 'Connections between North and West are slow',
    level: 'Critical',
    lastUpdateTime: '2025-10-30T19:45:00Z',
  }),
  seededEvent('SA_5-XYZ', 'security advisory, sensitive', securityAdvisory),
  seededEvent('SA_8-TOK', 'security advisory, sensitive, resolved', {
    ...securityAdvisory,
    status: 'Resolved',
    title: 'Access keys were renewed',
    summary: 'Keys older than a year were renewed for you.',
    description: 'Nothing is left to do.',
    priority: 16,
  }),
  billing('BL_1-FXR', 'ForeignExchangeRateChange', { currencyType: 'EUR', oldRate: 0.9215, newRate: 0.934 }),
  billing('BL_2-UND', 'Underbilling', { billingId: 'B-20418', reason: 'Traffic of March was left out' }),
  billing('BL_3-OVR', 'Overbilling', { billingId: 'B-20977', reason: 'Snapshots were counted twice' }),
  billing('BL_4-PRC', 'PriceChanges', { currencyType: 'USD', oldRate: 12, newRate: 12.75 }),
  billing('BL_5-TAX', 'TaxChanges', { currencyType: 'DKK', oldRate: 0.25, newRate: 0.25 }),
  billing('BL_6-MTR', 'MeterIDChanges', { billingId: 'B-21100' }),
  seededEvent('MN_0-BAR', 'next to nothing set', {
    eventType: 'HealthAdvisory',
    title: 'A notice without particulars',
  }),
  seededEvent('FK_4-NEW', 'a subtype the document does not know', {
    eventType: 'HealthAdvisory',
    eventSubType: 'FutureKind',
    status: 'Active',
    title: 'A kind of event this version does not name',
    eventTags: ['Tag of tomorrow'],
    priority: 23,
    lastUpdateTime: '2025-10-01T00:00:00Z',
  }),
];

function billing(name: string, eventSubType: string, more: Readonly<Record<string, unknown>>): SeededEvent {
  return seededEvent(name, `billing, ${eventSubType}`, {
    ...kind('Billing', 'Active', 'Informational', 20),
    eventSubType,
    title: `Your bill: ${eventSubType}`,
    lastUpdateTime: '2025-06-01T00:00:00Z',
    ...more,
  });
}

/** Events that go beyond the document, as the real service may at any time. */
export function oddHealthEvents(startedAt: number): readonly SeededEvent[] {
  const before = hoursBefore(startedAt);
  return [
    seededEvent('UW_1-ENU', 'every enumeration has a word nobody lists', {
      eventType: 'Forecast',
      eventSubType: 'Storm',
      eventSource: 'Weather',
      eventLevel: 'Severe',
      level: 'Notice',
      status: 'Paused',
      title: 'Words of tomorrow',
      eventTags: ['Action Advised', ''],
      lastUpdateTime: before(4),
      links: [{ type: 'Card', bladeName: 'Map' }],
      impact: [
        {
          impactedService: 'Mail Delivery',
          impactedRegions: [{ impactedRegion: 'North', status: 'Recovering' }],
        },
      ],
    }),
    seededEvent(
      'XF_2-NEW',
      'fields the document does not have, at every level',
      {
        eventType: 'PlannedMaintenance',
        status: 'Active',
        title: 'Fields of tomorrow',
        subscriptionId: '11111111-2222-4333-8444-555555555555',
        maintenanceId: 'M-1',
        maintenanceType: 'HostUpdate',
        argQuery: 'resources | take 1',
        advisorRecommendations: { httpMethod: 'GET', url: '/advice?x=1', description: 'Ask the advisor.' },
        lastUpdateTime: before(6),
        impact: [{ impactedService: 'Mail Delivery', weight: 0.5, impactedRegions: [{ zones: ['1', '2'] }] }],
        recommendedActions: { actions: [{ actionText: 'Wait.', groupId: 1, score: 3 }], tone: 'calm' },
      },
      {
        tags: { stage: 'test' },
        systemData: { createdBy: 'platform', createdByType: 'Application', createdAt: before(6) },
      },
    ),
    seededEvent('WT_3-TYP', 'every field has a value of another type', {
      eventType: 7,
      eventTags: 'Action Recommended',
      status: { value: 'Active' },
      title: ['A', 'title'],
      priority: '3',
      duration: 1.5,
      isHIR: 'true',
      isEventSensitive: 'true',
      lastUpdateTime: 1_760_370_228_120,
      impactStartTime: 'yesterday',
      impact: { impactedService: 'Mail Delivery' },
      links: [null, 'link', 3],
      faqs: 'none',
      recommendedActions: [],
      article: 'A-1',
      oldRate: '0.1',
      additionalInformation: 'text',
    }),
    seededEvent(
      'NL_4-NUL',
      'every field is null',
      Object.fromEntries(Object.keys(serviceIssue).map((name) => [name, null])),
    ),
    seededEvent('NP_5-NIL', 'empty properties', {}),
    seededEvent('NX_6-BAR', 'no properties at all'),
    seededEvent(
      'UP_7-PAR',
      'parameters of any JSON: lists, texts, booleans as texts, a number of 20 digits',
      {
        eventType: 'HealthAdvisory',
        status: 'Active',
        title: 'Parameters of any form',
        lastUpdateTime: before(8),
        article: { articleId: 'A-2', parameters: [1, 'two', { three: [null, true] }] },
        links: [
          { type: 'Button', parameters: 'a=1&b=2' },
          { type: 'Button', parameters: null },
          { type: 'Button', parameters: 42 },
          {
            type: 'Button',
            parameters: {
              rcaRequested: 'False',
              enabled: true,
              big: new LosslessNumber('12345678901234567890'),
              'a key with blanks': { '': [] },
            },
          },
        ],
      },
    ),
    seededEvent('TR 9+ü%', 'a tracking id that must be encoded', {
      eventType: 'ServiceIssue',
      status: 'Active',
      title: 'An id with blanks and signs',
      lastUpdateTime: before(9),
    }),
  ];
}
