import type {
  EventLevelValues,
  EventSourceValues,
  EventStatusValues,
  EventSubTypeValues,
  EventTag,
  EventTypeValues,
  HealthEvent,
  LevelValues,
  LinkTypeValues,
} from '../generated/graphql.ts';
import { type Choice, readChoice } from '../graph/choice.ts';
import { readTime } from '../graph/date-time.ts';
import { decimalText } from '../graph/decimal.ts';
import { unsetUuid } from '../graph/scalars.ts';
import { int32OrNull, isObject, type JsonObject, untyped } from '../upstream/json.ts';
import { type EventAddress, tenantScope } from './event-address.ts';

/** A type of the graph with all of its fields present: what is not known is null, never missing. */
type Complete<Type> = Type extends readonly (infer Entry)[]
  ? readonly Complete<Entry>[]
  : Type extends object
    ? { readonly [Name in keyof Type as Exclude<Name, '__typename'>]-?: Complete<Type[Name]> }
    : Type;

/** A health event as the schema describes it, so that the schema and this file cannot drift apart. */
export type HealthEventRecord = Complete<HealthEvent> & {
  /** Whether a list gave it: of a sensitive event it then holds little. */
  readonly isListed: boolean;
};
type Region = NonNullable<NonNullable<HealthEventRecord['impact']>[number]['impactedRegions']>[number];
type Link = NonNullable<HealthEventRecord['links']>[number];

/** The words of an enum of the document (C, enumerations). They are open: others can come any day. */
type Words<Name extends string> = Choice<Exclude<Name, 'UNRECOGNIZED'>>;

const eventLevel: Words<EventLevelValues> = {
  names: { Critical: 'CRITICAL', Error: 'ERROR', Warning: 'WARNING', Informational: 'INFORMATIONAL' },
};

const level: Words<LevelValues> = { names: { Critical: 'CRITICAL', Warning: 'WARNING' } };

const eventSource: Words<EventSourceValues> = {
  names: { ResourceHealth: 'RESOURCE_HEALTH', ServiceHealth: 'SERVICE_HEALTH' },
};

const eventStatus: Words<EventStatusValues> = { names: { Active: 'ACTIVE', Resolved: 'RESOLVED' } };

const eventType: Words<EventTypeValues> = {
  names: {
    ServiceIssue: 'SERVICE_ISSUE',
    PlannedMaintenance: 'PLANNED_MAINTENANCE',
    HealthAdvisory: 'HEALTH_ADVISORY',
    RCA: 'RCA',
    EmergingIssues: 'EMERGING_ISSUES',
    SecurityAdvisory: 'SECURITY_ADVISORY',
    Billing: 'BILLING',
  },
};

const eventSubType: Words<EventSubTypeValues> = {
  names: {
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

const linkType: Words<LinkTypeValues> = { names: { Button: 'BUTTON', Hyperlink: 'HYPERLINK' } };

const eventTag: Words<EventTag> = {
  names: {
    'Action Recommended': 'ACTION_RECOMMENDED',
    'False Positive': 'FALSE_POSITIVE',
    'Preliminary PIR': 'PRELIMINARY_PIR',
    'Final PIR': 'FINAL_PIR',
  },
};

/**
 * The event in a body of the fetch operation, or in a row of a list; null when there is none in it.
 *
 * The document requires no field of an event, so what is missing or of another type is null. The key is the
 * address that was asked: the upstream's own `id` has the tenant's form even when a subscription asked.
 */
export function readEvent(
  { trackingId, subscriptionId }: EventAddress,
  body: unknown,
  isListed = false,
): HealthEventRecord | null {
  if (!isObject(body)) return null;
  if (!isObject(body.properties) && text(body.id) === null && text(body.name) === null) return null;
  const event = isObject(body.properties) ? body.properties : {};
  return {
    isListed,
    scope: subscriptionId ?? tenantScope,
    trackingId,
    id: text(body.id),
    name: text(body.name),
    type: text(body.type),
    location: text(body.location),
    additionalInformation: read(event.additionalInformation, ({ message }) => ({ message: text(message) })),
    article: read(event.article, ({ articleContent, articleId, parameters }) => ({
      articleContent: text(articleContent),
      articleId: text(articleId),
      parameters: untyped(parameters),
    })),
    billingId: text(event.billingId),
    currencyType: text(event.currencyType),
    description: text(event.description),
    duration: int32OrNull(event.duration),
    enableChatWithUs: flag(event.enableChatWithUs),
    enableMicrosoftSupport: flag(event.enableMicrosoftSupport),
    eventLevel: readChoice(eventLevel, event.eventLevel),
    eventLevelRaw: text(event.eventLevel),
    eventSource: readChoice(eventSource, event.eventSource),
    eventSourceRaw: text(event.eventSource),
    eventSubType: readChoice(eventSubType, event.eventSubType),
    eventSubTypeRaw: text(event.eventSubType),
    ...readTags(event),
    eventType: readChoice(eventType, event.eventType),
    eventTypeRaw: text(event.eventType),
    externalIncidentId: text(event.externalIncidentId),
    faqs: readList(event.faqs, ({ answer, localeCode, question }) => ({
      answer: text(answer),
      localeCode: text(localeCode),
      question: text(question),
    })),
    header: text(event.header),
    hirStage: text(event.hirStage),
    impact: readList(event.impact, ({ impactedService, impactedServiceGuid, impactedRegions }) => ({
      impactedService: text(impactedService),
      impactedServiceGuid: impactedServiceGuid === unsetUuid ? null : text(impactedServiceGuid),
      impactedRegions: readList(impactedRegions, readRegion),
    })),
    impactMitigationTime: readTime(event.impactMitigationTime),
    impactStartTime: readTime(event.impactStartTime),
    impactType: text(event.impactType),
    isEventSensitive: flag(event.isEventSensitive),
    isHIR: flag(event.isHIR),
    lastUpdateTime: readTime(event.lastUpdateTime),
    level: readChoice(level, event.level),
    levelRaw: text(event.level),
    links: readList(event.links, readLink),
    newRate: decimalText(event.newRate),
    oldRate: decimalText(event.oldRate),
    platformInitiated: flag(event.platformInitiated),
    priority: int32OrNull(event.priority),
    reason: text(event.reason),
    recommendedActions: read(event.recommendedActions, ({ actions, localeCode, message }) => ({
      actions: readList(actions, ({ actionText, groupId }) => ({
        actionText: text(actionText),
        groupId: int32OrNull(groupId),
      })),
      localeCode: text(localeCode),
      message: text(message),
    })),
    status: readChoice(eventStatus, event.status),
    statusRaw: text(event.status),
    summary: text(event.summary),
    title: text(event.title),
  };
}

function readRegion(region: JsonObject): Region {
  return {
    impactedRegion: text(region.impactedRegion),
    impactedSubscriptions: texts(region.impactedSubscriptions),
    impactedTenants: texts(region.impactedTenants),
    lastUpdateTime: readTime(region.lastUpdateTime),
    status: readChoice(eventStatus, region.status),
    statusRaw: text(region.status),
    updates: readList(region.updates, (update) => ({
      ...readTags(update),
      summary: text(update.summary),
      updateDateTime: readTime(update.updateDateTime),
    })),
  };
}

function readLink({ bladeName, extensionName, type, displayText, parameters }: JsonObject): Link {
  return {
    bladeName: text(bladeName),
    extensionName: text(extensionName),
    type: readChoice(linkType, type),
    typeRaw: text(type),
    displayText: read(displayText, ({ localizedValue, value }) => ({
      localizedValue: text(localizedValue),
      value: text(value),
    })),
    parameters: untyped(parameters),
  };
}

/** Tags and the words behind them, place by place: what is no word is in neither list. */
function readTags({ eventTags }: JsonObject): Pick<HealthEventRecord, 'eventTags' | 'eventTagsRaw'> {
  const words = texts(eventTags)?.filter((word) => word !== '') ?? null;
  return {
    eventTags: words?.map((word) => readChoice(eventTag, word) ?? 'UNRECOGNIZED') ?? null,
    eventTagsRaw: words,
  };
}

const read = <Value>(value: unknown, readRow: (row: JsonObject) => Value): Value | null =>
  isObject(value) ? readRow(value) : null;

const readList = <Value>(value: unknown, readRow: (row: JsonObject) => Value): Value[] | null =>
  Array.isArray(value) ? value.filter(isObject).map(readRow) : null;

const text = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const texts = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : null;

const flag = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
