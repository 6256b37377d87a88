const subscription = '11111111-2222-4333-8444-555555555555';
const tenant = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee';

/** An event with every field of section C that is not about billing. Times have seven decimals. */
export const serviceIssue = {
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
export const securityAdvisory = {
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
