import type { SelectedObject } from '../graph/selected-object.ts';
import type { Selection } from '../graph/selection.ts';
import { type HealthApiSettings, tenantScope } from './event-address.ts';
import type { HealthEventRecord } from './event-record.ts';

/** Fields that plain reads leave out of sensitive events (docs/upstream.md): only the fetch operation returns them. */
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

/** Fields that plain reads show of every event (docs/upstream.md), where the upstream has a value. */
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

/** Fields that plain reads may leave out of a billing event, whether or not it is sensitive. */
const billingFields: ReadonlySet<string> = new Set(['billingId', 'currencyType', 'newRate', 'oldRate']);

const withheld: ReadonlySet<string> = new Set(withheldFields);
// Without the flag, an event is sensitive by its other fields. Plain records have the priority of every event that has one.
const notAsked: ReadonlySet<string> = new Set(['isEventSensitive', 'priority']);
const asked: ReadonlySet<string> = new Set(
  [...shownFields, ...withheldFields].filter((field) => !notAsked.has(field)),
);
/** Those of objects below an event. */
const withheldOfImpact = ['impactedServiceGuid'];
const withheldOfRegion = ['lastUpdateTime', 'updates'];

const hasAny = ({ fields }: SelectedObject, names: Iterable<string>): boolean =>
  [...names].some((name) => fields.has(name));

/** Whether a GraphQL operation selects fields that plain reads may withhold. */
export const selectsWithheldFields = (selection: Selection): boolean =>
  hasAny(selection.ofType('HealthEvent'), withheld) ||
  hasAny(selection.ofType('HealthEventImpact'), withheldOfImpact) ||
  hasAny(selection.ofType('HealthEventRegion'), withheldOfRegion);

/** Whether what is selected of an event takes its details. */
export function needsDetails(event: HealthEventRecord, selected: SelectedObject): boolean {
  if (!lacksDetails(event)) return false;
  if ([...selected.fields].some((field) => isWithheld(event, field))) return true;
  if (!mayBeWithheld(event)) return false;
  const ofImpact = selected.below('impact');
  const ofRegion = ofImpact.below('impactedRegions');
  return (event.impact ?? []).some(
    (row) => lacksAny(row, ofImpact) || row.impactedRegions?.some((region) => lacksAny(region, ofRegion)),
  );
}

const lacksAny = (row: object, { fields }: SelectedObject): boolean =>
  Object.entries(row).some(([field, value]) => fields.has(field) && isBlank(value));

/** Whether details of the event may have more than this record. */
export const lacksDetails = (event: HealthEventRecord): boolean => mayBeWithheld(event) || lacksRates(event);

/** Whether a field has no value here, and may have one in the event's details. */
export const isWithheld = (event: HealthEventRecord, field: string): boolean =>
  isBlank(event[field as keyof HealthEventRecord]) &&
  (mayBeWithheld(event) ? asked.has(field) : billingFields.has(field) && lacksRates(event));

const lacksRates = (event: HealthEventRecord): boolean =>
  event.isPlain && isBilling(event) && event.newRate === null && event.oldRate === null;

type BillingSetting = Pick<HealthApiSettings, 'billingOperation'>;

// Compared without regard to case: a fetch that was not needed reveals nothing that it should not.
const hasEventType = ({ eventTypeRaw }: HealthEventRecord, word: string) =>
  eventTypeRaw?.toLowerCase() === word;

export const isSecurityAdvisory = (event: HealthEventRecord): boolean =>
  hasEventType(event, 'securityadvisory');
const isBilling = (event: HealthEventRecord): boolean => hasEventType(event, 'billing');

/** The name of the upstream operation that returns all fields of an event. */
export const fetchOperationFor = (event: HealthEventRecord, { billingOperation }: BillingSetting): string =>
  isBilling(event) && event.scope !== tenantScope && billingOperation !== null
    ? billingOperation
    : 'fetchEventDetails';

/**
 * Whether an event is sensitive; null where nothing says so.
 *
 * Plain records of the real service do not have the flag `isEventSensitive`. Without it, a security advisory with neither
 * description nor summary counts as sensitive, and so does a billing event without any field that can be withheld.
 */
export function seemsSensitive(event: HealthEventRecord): boolean | null {
  if (event.isEventSensitive !== null || !event.isPlain) return event.isEventSensitive;
  const isOpen = (fields: readonly (keyof HealthEventRecord)[]) =>
    fields.some((field) => !isBlank(event[field]));
  const isWithheldOfType =
    (isSecurityAdvisory(event) && !isOpen(['description', 'summary'])) ||
    (isBilling(event) && !isOpen(withheldFields));
  return isWithheldOfType ? true : null;
}

/** Whether fields of this record may have been withheld, rather than being empty. */
export const mayBeWithheld = (event: HealthEventRecord): boolean =>
  event.isPlain && seemsSensitive(event) === true;

/** Whether a value of a plain record says nothing: an empty text, list or object, or one of such values. */
export const isBlank = (value: unknown): boolean =>
  value === null ||
  value === '' ||
  (typeof value === 'object' && Object.values(value as object).every(isBlank));
