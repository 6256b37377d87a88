import type { UpstreamError } from '../errors.ts';
import type { HealthEvent } from '../generated/graphql.ts';
import { parseDateTime } from '../graph/date-time.ts';
import { formatDecimal } from '../graph/decimal.ts';
import { unsetUuid } from '../graph/scalars.ts';
import { int32OrNull, isJsonObject, type JsonObject, toPlainJson } from '../runtime/json.ts';
import { type EventAddress, tenantScope } from './event-address.ts';

/** A type of the graph in which every field is present; unknown values are null. */
type Complete<Type> = Type extends readonly (infer Entry)[]
  ? readonly Complete<Entry>[]
  : Type extends object
    ? { readonly [Name in keyof Type as Exclude<Name, '__typename'>]-?: Complete<Type[Name]> }
    : Type;

/** A health event, derived from the schema so that the two cannot diverge. */
export type HealthEventRecord = Complete<
  Omit<HealthEvent, 'nodeId' | 'impactedResources' | 'securityImpactedResources'>
> & {
  /** Whether it comes from a plain read or a list, which withhold fields of sensitive events. */
  readonly isPlain: boolean;
  /** The result of fetching the withheld fields; for watched events only. */
  readonly fetched?: FetchedDetails;
};

export interface FetchedDetails {
  /** When the fetch started, on the clock of `performance.now()`. */
  readonly requestedAt: number;
  /** Null if the event no longer exists or the fetch failed. */
  readonly details: HealthEventRecord | null;
  readonly failure: UpstreamError | null;
}

type RegionRecord = NonNullable<NonNullable<HealthEventRecord['impact']>[number]['impactedRegions']>[number];
type LinkRecord = NonNullable<HealthEventRecord['links']>[number];

// The values of the source document's enumerations (C, enumerations), which are open: upstreams may send other values.
const eventLevels = ['Critical', 'Error', 'Warning', 'Informational'];
const levels = ['Critical', 'Warning'];
const eventSources = ['ResourceHealth', 'ServiceHealth'];
const eventStatuses = ['Active', 'Resolved'];
const eventTypes = [
  'ServiceIssue',
  'PlannedMaintenance',
  'HealthAdvisory',
  'RCA',
  'EmergingIssues',
  'SecurityAdvisory',
  'Billing',
];
const eventSubTypes = [
  'Retirement',
  'ForeignExchangeRateChange',
  'Underbilling',
  'Overbilling',
  'PriceChanges',
  'TaxChanges',
  'MeterIDChanges',
  'UnauthorizedPartyAbuse',
];
const linkTypes = ['Button', 'Hyperlink'];
const eventTagValues = ['Action Recommended', 'False Positive', 'Preliminary PIR', 'Final PIR'];

/** Converts a value to the schema's enum, such as `MeterIDChanges` to `METER_ID_CHANGES`; null for an empty value. */
function parseEnumValue<Name extends string>(
  known: readonly string[],
  value: unknown,
): Name | 'UNRECOGNIZED' | null {
  if (typeof value !== 'string' || value === '') return null;
  if (!known.includes(value)) return 'UNRECOGNIZED';
  const split = value.replace(/(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])| /g, '_');
  return split.toUpperCase() as Name;
}

/**
 * Parses the body of a fetch operation or a plain read, or a row of a list; null if it is not an event.
 *
 * The source document requires no field of an event: a missing field, or one of another type, is null. The key of an
 * event is the requested address in lower case, because the upstream's own `id` has the tenant's form even if a
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
    eventLevel: parseEnumValue(eventLevels, event.eventLevel),
    eventLevelRaw: toText(event.eventLevel),
    eventSource: parseEnumValue(eventSources, event.eventSource),
    eventSourceRaw: toText(event.eventSource),
    eventSubType: parseEnumValue(eventSubTypes, event.eventSubType),
    eventSubTypeRaw: toText(event.eventSubType),
    ...parseTags(event),
    eventType: parseEnumValue(eventTypes, event.eventType),
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
    level: parseEnumValue(levels, event.level),
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
    status: parseEnumValue(eventStatuses, event.status),
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
    status: parseEnumValue(eventStatuses, region.status),
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
    type: parseEnumValue(linkTypes, type),
    typeRaw: toText(type),
    displayText: parseObject(displayText, ({ localizedValue, value }) => ({
      localizedValue: toText(localizedValue),
      value: toText(value),
    })),
    parameters: toPlainJson(parameters),
  };
}

/** Parses tags and their raw texts, which correspond by index. Entries that are not texts are left out. */
function parseTags({ eventTags }: JsonObject): Pick<HealthEventRecord, 'eventTags' | 'eventTagsRaw'> {
  const texts = toTexts(eventTags)?.filter((text) => text !== '') ?? null;
  return {
    eventTags: texts?.map((text) => parseEnumValue(eventTagValues, text) ?? 'UNRECOGNIZED') ?? null,
    eventTagsRaw: texts,
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
