import { LosslessNumber } from 'lossless-json';
import type { SeededEvent } from './health-event.ts';
import { hoursBefore, seededEvent } from './health-event.ts';
import { serviceIssue } from './long-health-events.ts';

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
