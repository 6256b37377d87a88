import type { UpstreamError } from '../errors.ts';
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
import { parseDateTime } from '../graph/date-time.ts';
import { formatDecimal } from '../graph/decimal.ts';
import { unsetUuid } from '../graph/scalars.ts';
import { int32OrNull, isJsonObject, type JsonObject, toPlainJson } from '../runtime/json.ts';
import { type EventAddress, tenantScope } from './event-address.ts';

/** A type of the graph with all of its fields present: an unknown value is null, never missing. */
type Complete<Type> = Type extends readonly (infer Entry)[]
  ? readonly Complete<Entry>[]
  : Type extends object
    ? { readonly [Name in keyof Type as Exclude<Name, '__typename'>]-?: Complete<Type[Name]> }
    : Type;

/** A health event, derived from the schema so that the two cannot diverge. */
export type HealthEventRecord = Complete<
  Omit<HealthEvent, 'nodeId' | 'impactedResources' | 'securityImpactedResources'>
> & {
  /** Whether it comes from a plain read or a list, where fields of a sensitive event are withheld. */
  readonly isPlain: boolean;
  /** Of a watched event: what the fetch of its withheld fields has returned. */
  readonly fetched?: FetchedDetails;
};

export interface FetchedDetails {
  /** When it was requested, by the monotonic clock of this process. */
  readonly requestedAt: number;
  /** Null where the event no longer exists, or the fetch failed. */
  readonly details: HealthEventRecord | null;
  readonly failure: UpstreamError | null;
}

type RegionRecord = NonNullable<NonNullable<HealthEventRecord['impact']>[number]['impactedRegions']>[number];
type LinkRecord = NonNullable<HealthEventRecord['links']>[number];

/** The members of an enumeration of the source document (C, enumerations) by its words. It is open: others can be added any day. */
type EventEnum<Name extends string> = Readonly<Record<string, Exclude<Name, 'UNRECOGNIZED'>>>;

const eventLevel: EventEnum<EventLevelValues> = {
  Critical: 'CRITICAL',
  Error: 'ERROR',
  Warning: 'WARNING',
  Informational: 'INFORMATIONAL',
};

const level: EventEnum<LevelValues> = { Critical: 'CRITICAL', Warning: 'WARNING' };

const eventSource: EventEnum<EventSourceValues> = {
  ResourceHealth: 'RESOURCE_HEALTH',
  ServiceHealth: 'SERVICE_HEALTH',
};

const eventStatus: EventEnum<EventStatusValues> = { Active: 'ACTIVE', Resolved: 'RESOLVED' };

const eventType: EventEnum<EventTypeValues> = {
  ServiceIssue: 'SERVICE_ISSUE',
  PlannedMaintenance: 'PLANNED_MAINTENANCE',
  HealthAdvisory: 'HEALTH_ADVISORY',
  RCA: 'RCA',
  EmergingIssues: 'EMERGING_ISSUES',
  SecurityAdvisory: 'SECURITY_ADVISORY',
  Billing: 'BILLING',
};

const eventSubType: EventEnum<EventSubTypeValues> = {
  Retirement: 'RETIREMENT',
  ForeignExchangeRateChange: 'FOREIGN_EXCHANGE_RATE_CHANGE',
  Underbilling: 'UNDERBILLING',
  Overbilling: 'OVERBILLING',
  PriceChanges: 'PRICE_CHANGES',
  TaxChanges: 'TAX_CHANGES',
  MeterIDChanges: 'METER_ID_CHANGES',
  UnauthorizedPartyAbuse: 'UNAUTHORIZED_PARTY_ABUSE',
};

const linkType: EventEnum<LinkTypeValues> = { Button: 'BUTTON', Hyperlink: 'HYPERLINK' };

const eventTag: EventEnum<EventTag> = {
  'Action Recommended': 'ACTION_RECOMMENDED',
  'False Positive': 'FALSE_POSITIVE',
  'Preliminary PIR': 'PRELIMINARY_PIR',
  'Final PIR': 'FINAL_PIR',
};

/** The member of a word: null if there is none, UNRECOGNIZED if it is unknown. */
function parseEnumValue<Name extends string>(
  members: Readonly<Record<string, Name>>,
  word: unknown,
): Name | 'UNRECOGNIZED' | null {
  if (typeof word !== 'string' || word === '') return null;
  // Own properties only: "constructor" is UNRECOGNIZED.
  return Object.hasOwn(members, word) ? (members[word] as Name) : 'UNRECOGNIZED';
}

/**
 * Parses the body of a fetch operation or a plain read, or a row of a list; null where that is no event.
 *
 * The source document requires no field of an event: one that is missing or of another type is null. The key is the
 * requested address, with one spelling for each subscription: the upstream's own `id` has the tenant's form even where a
 * subscription was requested.
 */
export function parseEvent(
  { trackingId, subscriptionId }: EventAddress,
  body: unknown,
  isPlain = false,
): HealthEventRecord | null {
  if (!isJsonObject(body)) return null;
  if (!isJsonObject(body.properties) && toText(body.id) === null && toText(body.name) === null) return null;
  const event = isJsonObject(body.properties) ? body.properties : {};
  return {
    isPlain,
    scope: subscriptionId?.toLowerCase() ?? tenantScope,
    trackingId,
    id: toText(body.id),
    name: toText(body.name),
    type: toText(body.type),
    location: toText(body.location),
    additionalInformation: parseObject(event.additionalInformation, ({ message }) => ({
      message: toText(message),
    })),
    article: parseObject(event.article, ({ articleContent, articleId, parameters }) => ({
      articleContent: toText(articleContent),
      articleId: toText(articleId),
      parameters: toPlainJson(parameters),
    })),
    billingId: toText(event.billingId),
    currencyType: toText(event.currencyType),
    description: toText(event.description),
    duration: int32OrNull(event.duration),
    enableChatWithUs: toBoolean(event.enableChatWithUs),
    enableMicrosoftSupport: toBoolean(event.enableMicrosoftSupport),
    eventLevel: parseEnumValue(eventLevel, event.eventLevel),
    eventLevelRaw: toText(event.eventLevel),
    eventSource: parseEnumValue(eventSource, event.eventSource),
    eventSourceRaw: toText(event.eventSource),
    eventSubType: parseEnumValue(eventSubType, event.eventSubType),
    eventSubTypeRaw: toText(event.eventSubType),
    ...parseTags(event),
    eventType: parseEnumValue(eventType, event.eventType),
    eventTypeRaw: toText(event.eventType),
    externalIncidentId: toText(event.externalIncidentId),
    faqs: parseList(event.faqs, ({ answer, localeCode, question }) => ({
      answer: toText(answer),
      localeCode: toText(localeCode),
      question: toText(question),
    })),
    header: toText(event.header),
    hirStage: toText(event.hirStage),
    impact: parseList(event.impact, ({ impactedService, impactedServiceGuid, impactedRegions }) => ({
      impactedService: toText(impactedService),
      impactedServiceGuid: impactedServiceGuid === unsetUuid ? null : toText(impactedServiceGuid),
      impactedRegions: parseList(impactedRegions, parseRegion),
    })),
    impactMitigationTime: parseDateTime(event.impactMitigationTime),
    impactStartTime: parseDateTime(event.impactStartTime),
    impactType: toText(event.impactType),
    isEventSensitive: toBoolean(event.isEventSensitive),
    isHIR: toBoolean(event.isHIR),
    lastUpdateTime: parseDateTime(event.lastUpdateTime),
    level: parseEnumValue(level, event.level),
    levelRaw: toText(event.level),
    links: parseList(event.links, parseLink),
    newRate: formatDecimal(event.newRate),
    oldRate: formatDecimal(event.oldRate),
    platformInitiated: toBoolean(event.platformInitiated),
    priority: int32OrNull(event.priority),
    reason: toText(event.reason),
    recommendedActions: parseObject(event.recommendedActions, ({ actions, localeCode, message }) => ({
      actions: parseList(actions, ({ actionText, groupId }) => ({
        actionText: toText(actionText),
        groupId: int32OrNull(groupId),
      })),
      localeCode: toText(localeCode),
      message: toText(message),
    })),
    status: parseEnumValue(eventStatus, event.status),
    statusRaw: toText(event.status),
    summary: toText(event.summary),
    title: toText(event.title),
  };
}

function parseRegion(region: JsonObject): RegionRecord {
  return {
    impactedRegion: toText(region.impactedRegion),
    impactedSubscriptions: toTexts(region.impactedSubscriptions),
    impactedTenants: toTexts(region.impactedTenants),
    lastUpdateTime: parseDateTime(region.lastUpdateTime),
    status: parseEnumValue(eventStatus, region.status),
    statusRaw: toText(region.status),
    updates: parseList(region.updates, (update) => ({
      ...parseTags(update),
      summary: toText(update.summary),
      updateDateTime: parseDateTime(update.updateDateTime),
    })),
  };
}

function parseLink({ bladeName, extensionName, type, displayText, parameters }: JsonObject): LinkRecord {
  return {
    bladeName: toText(bladeName),
    extensionName: toText(extensionName),
    type: parseEnumValue(linkType, type),
    typeRaw: toText(type),
    displayText: parseObject(displayText, ({ localizedValue, value }) => ({
      localizedValue: toText(localizedValue),
      value: toText(value),
    })),
    parameters: toPlainJson(parameters),
  };
}

/** Tags and the texts behind them, index by index: an entry that is no text is in neither list. */
function parseTags({ eventTags }: JsonObject): Pick<HealthEventRecord, 'eventTags' | 'eventTagsRaw'> {
  const words = toTexts(eventTags)?.filter((word) => word !== '') ?? null;
  return {
    eventTags: words?.map((word) => parseEnumValue(eventTag, word) ?? 'UNRECOGNIZED') ?? null,
    eventTagsRaw: words,
  };
}

const parseObject = <Value>(value: unknown, parseRow: (row: JsonObject) => Value): Value | null =>
  isJsonObject(value) ? parseRow(value) : null;

const parseList = <Value>(value: unknown, parseRow: (row: JsonObject) => Value): Value[] | null =>
  Array.isArray(value) ? value.filter(isJsonObject).map(parseRow) : null;

const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);

const toTexts = (value: unknown): string[] | null =>
  Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : null;

const toBoolean = (value: unknown): boolean | null => (typeof value === 'boolean' ? value : null);
