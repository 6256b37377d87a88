import type { SelectedObject } from '../graph/selected-object.ts';
import type { Selection } from '../graph/selection.ts';
import { type HealthApiSettings, tenantScope } from './event-address.ts';
import type { HealthEventRecord } from './event-record.ts';

/** Fields of sensitive events that only the fetch operation returns, not plain reads (docs/upstream.md). */
export const withheldFields = [
  'additionalInformation',
  'article',
  'billingId',
  'currencyType',
  'description',
  'duration',
  'enableChatWithUs',
  'enableMicrosoftSupport',
  'eventSubType',
  'eventSubTypeRaw',
  'eventTags',
  'eventTagsRaw',
  'externalIncidentId',
  'faqs',
  'header',
  'hirStage',
  'impactMitigationTime',
  'impactStartTime',
  'impactType',
  'links',
  'newRate',
  'oldRate',
  'reason',
  'recommendedActions',
  'summary',
] as const satisfies readonly (keyof HealthEventRecord)[];

/** Fields that plain reads return for every event, if the upstream has a value (docs/upstream.md). */
export const shownFields = [
  'eventLevel',
  'eventLevelRaw',
  'eventSource',
  'eventSourceRaw',
  'eventType',
  'eventTypeRaw',
  'impact',
  'isEventSensitive',
  'isHIR',
  'lastUpdateTime',
  'level',
  'levelRaw',
  'platformInitiated',
  'priority',
  'status',
  'statusRaw',
  'title',
] as const satisfies readonly (keyof HealthEventRecord)[];

/** Fields of billing events, sensitive or not, that plain reads may leave out. */
const billingFields: ReadonlySet<string> = new Set(['billingId', 'currencyType', 'newRate', 'oldRate']);

const withheld: ReadonlySet<string> = new Set(withheldFields);
// Never fetched: `isEventSensitive` is derived from other fields, and plain records contain every priority.
const neverFetched: ReadonlySet<string> = new Set(['isEventSensitive', 'priority']);
const fetchable: ReadonlySet<string> = new Set(
  [...shownFields, ...withheldFields].filter((field) => !neverFetched.has(field)),
);
const withheldImpactFields = ['impactedServiceGuid'];
const withheldRegionFields = ['lastUpdateTime', 'updates'];

const hasAny = ({ fields }: SelectedObject, names: Iterable<string>): boolean =>
  [...names].some((name) => fields.has(name));

/** Whether a GraphQL operation selects fields that plain reads may withhold. */
export const selectsWithheldFields = (selection: Selection): boolean =>
  hasAny(selection.ofType('HealthEvent'), withheld) ||
  hasAny(selection.ofType('HealthEventImpact'), withheldImpactFields) ||
  hasAny(selection.ofType('HealthEventRegion'), withheldRegionFields);

/** Whether the selected fields of an event need its details. */
export function needsDetails(event: HealthEventRecord, selected: SelectedObject): boolean {
  if (!lacksDetails(event)) return false;
  if ([...selected.fields].some((field) => isWithheld(event, field))) return true;
  if (!mayBeWithheld(event)) return false;
  const impact = selected.below('impact');
  const regions = impact.below('impactedRegions');
  return (event.impact ?? []).some(
    (row) => lacksAny(row, impact) || row.impactedRegions?.some((region) => lacksAny(region, regions)),
  );
}

const lacksAny = (row: object, { fields }: SelectedObject): boolean =>
  Object.entries(row).some(([field, value]) => fields.has(field) && isBlank(value));

/** Whether the details of the event may have values that this record lacks. */
export const lacksDetails = (event: HealthEventRecord): boolean => mayBeWithheld(event) || lacksRates(event);

/** Whether a field has no value in this record but may have one in the event's details. */
export const isWithheld = (event: HealthEventRecord, field: string): boolean =>
  isBlank(event[field as keyof HealthEventRecord]) &&
  (mayBeWithheld(event) ? fetchable.has(field) : billingFields.has(field) && lacksRates(event));

const lacksRates = (event: HealthEventRecord): boolean =>
  event.isPlain && isBilling(event) && event.newRate === null && event.oldRate === null;

type BillingSetting = Pick<HealthApiSettings, 'billingOperation'>;

// Case-insensitive: an unnecessary fetch does no harm.
const hasEventType = ({ eventTypeRaw }: HealthEventRecord, word: string) =>
  eventTypeRaw?.toLowerCase() === word;

export const isSecurityAdvisory = (event: HealthEventRecord): boolean =>
  hasEventType(event, 'securityadvisory');
const isBilling = (event: HealthEventRecord): boolean => hasEventType(event, 'billing');

/** Returns the name of the upstream operation that fetches all fields of an event. */
export const fetchOperationFor = (event: HealthEventRecord, { billingOperation }: BillingSetting): string =>
  isBilling(event) && event.scope !== tenantScope && billingOperation !== null
    ? billingOperation
    : 'fetchEventDetails';

/**
 * Whether an event is sensitive; null if unknown.
 *
 * Plain records of the real service lack the flag `isEventSensitive`. Without it, a security advisory with neither
 * description nor summary counts as sensitive, and so does a billing event without any of the withheld fields.
 */
export function seemsSensitive(event: HealthEventRecord): boolean | null {
  if (event.isEventSensitive !== null || !event.isPlain) return event.isEventSensitive;
  const areBlank = (fields: readonly (keyof HealthEventRecord)[]) =>
    fields.every((field) => isBlank(event[field]));
  const lacksContent =
    (isSecurityAdvisory(event) && areBlank(['description', 'summary'])) ||
    (isBilling(event) && areBlank(withheldFields));
  return lacksContent ? true : null;
}

/** Whether empty fields of this record may have been withheld. */
export const mayBeWithheld = (event: HealthEventRecord): boolean =>
  event.isPlain && seemsSensitive(event) === true;

/** Whether a value is null or empty: an empty text, or a list or object that contains only such values. */
export const isBlank = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.values(value as object).every(isBlank));
