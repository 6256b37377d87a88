import type { SeededEvent } from './health-event.ts';
import { hoursBefore, seededEvent, serviceGuid } from './health-event.ts';
import { securityAdvisory, serviceIssue } from './long-health-events.ts';
import { recentHealthEvents } from './recent-health-events.ts';

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
    {
      location: 'north',
    },
  ),
  seededEvent('PM_7-HHD', 'planned maintenance', {
    eventType: 'PlannedMaintenance',
    eventSource: 'ServiceHealth',
    status: 'Active',
    title: 'Storage firmware is renewed in North',
    summary: 'Disks may pause for some seconds.',
    description: 'Each host is renewed once within the window.',
    header: 'Planned maintenance',
    eventLevel: 'Informational',
    level: 'Warning',
    platformInitiated: true,
    priority: 11,
    impactType: 'Maintenance',
    impactStartTime: '2025-11-02T22:00:00Z',
    impactMitigationTime: '2025-11-03T04:00:00Z',
    lastUpdateTime: '2025-10-20T08:15:00Z',
    impact: [{ impactedService: 'Block Storage', impactedServiceGuid: serviceGuid(2), impactedRegions: [] }],
    isEventSensitive: false,
    isHIR: false,
  }),
  seededEvent('HA_3-RTR', 'health advisory, a retirement', {
    eventType: 'HealthAdvisory',
    eventSubType: 'Retirement',
    eventSource: 'ServiceHealth',
    status: 'Active',
    title: 'The first generation of message queues ends in June',
    eventLevel: 'Warning',
    eventTags: ['Action Recommended'],
    priority: 21,
    lastUpdateTime: '2025-09-01T12:00:00Z',
    isEventSensitive: false,
  }),
  seededEvent('RH_6-FPX', 'health advisory found false, from the resource side; the lowest priority', {
    eventType: 'HealthAdvisory',
    eventSource: 'ResourceHealth',
    status: 'Resolved',
    title: 'Virtual machines reported as unreachable',
    eventLevel: 'Informational',
    eventTags: ['False Positive'],
    priority: 23,
    duration: 0,
    platformInitiated: false,
    lastUpdateTime: '2025-08-14T06:30:00Z',
  }),
  seededEvent('RC_2-PIR', 'root cause, final review, high incident rate, a summary in HTML', {
    eventType: 'RCA',
    eventSource: 'ServiceHealth',
    status: 'Resolved',
    title: 'What happened on 3 July',
    summary: '<p>A certificate was not renewed.</p>',
    eventLevel: 'Error',
    level: 'Warning',
    eventTags: ['Final PIR'],
    hirStage: 'resolved',
    isHIR: true,
    duration: 7_260,
    priority: 4,
    impactStartTime: '2025-07-03T09:00:00Z',
    impactMitigationTime: '2025-07-03T11:01:00Z',
    lastUpdateTime: '2025-07-16T15:00:00Z',
  }),
  seededEvent('EI_9-NET', 'emerging issue; the highest priority', {
    eventType: 'EmergingIssues',
    eventSource: 'ServiceHealth',
    status: 'Active',
    title: 'Connections between North and West are slow',
    eventLevel: 'Critical',
    level: 'Critical',
    priority: 0,
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
  billing('BL_1-FXR', 'ForeignExchangeRateChange', {
    currencyType: 'EUR',
    oldRate: 0.9215,
    newRate: 0.934,
  }),
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
    priority: 22,
    lastUpdateTime: '2025-10-01T00:00:00Z',
  }),
];

function billing(name: string, eventSubType: string, more: Readonly<Record<string, unknown>>): SeededEvent {
  return seededEvent(name, `billing, ${eventSubType}`, {
    eventType: 'Billing',
    eventSubType,
    eventSource: 'ServiceHealth',
    status: 'Active',
    title: `Your bill: ${eventSubType}`,
    eventLevel: 'Informational',
    priority: 20,
    lastUpdateTime: '2025-06-01T00:00:00Z',
    ...more,
  });
}
