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

/** The same of objects below an event: type and field. */
const withheldNestedFields = [
  ['HealthEventImpact', 'impactedServiceGuid'],
  ['HealthEventRegion', 'lastUpdateTime'],
  ['HealthEventRegion', 'updates'],
] as const;

/** Whether a GraphQL operation selects fields that plain reads may withhold. */
export const selectsWithheldFields = (selection: Selection): boolean =>
  withheldFields.some((field) => selection.ofType('HealthEvent').fields.has(field)) ||
  withheldNestedFields.some(([type, field]) => selection.ofType(type).fields.has(field));

type BillingSetting = Pick<HealthApiSettings, 'billingOperation'>;

// Compared without regard to case: a fetch that was not needed reveals nothing that it should not.
const hasEventType = ({ eventTypeRaw }: HealthEventRecord, word: string) =>
  eventTypeRaw?.toLowerCase() === word;

export const isSecurityAdvisory = (event: HealthEventRecord): boolean =>
  hasEventType(event, 'securityadvisory');

/** The name of the upstream operation that returns all fields of an event. */
export const fetchOperationFor = (event: HealthEventRecord, { billingOperation }: BillingSetting): string =>
  hasEventType(event, 'billing') && event.scope !== tenantScope && billingOperation !== null
    ? billingOperation
    : 'fetchEventDetails';

/**
 * Whether fields of this event may have been withheld, rather than being empty.
 *
 * Plain records of the real service do not have the flag `isEventSensitive`. Without it, a security advisory with neither
 * description nor summary counts as withheld, and so does a billing event that has a fetch operation of its own.
 */
export function mayBeWithheld(event: HealthEventRecord, setting: BillingSetting): boolean {
  const { isPlain, isEventSensitive, description, summary } = event;
  if (!isPlain || isEventSensitive !== null) return isPlain && isEventSensitive === true;
  const isOfWithheldType =
    isSecurityAdvisory(event) || fetchOperationFor(event, setting) !== 'fetchEventDetails';
  return isOfWithheldType && isBlank(description) && isBlank(summary);
}

/** Whether a field of a plain record has no value: an empty text counts as none. */
export const isBlank = (value: unknown): boolean => value === null || value === '';

type ImpactRow = NonNullable<HealthEventRecord['impact']>[number];
type ImpactRegionRow = NonNullable<ImpactRow['impactedRegions']>[number];

/** By which an object below a plain event is found again in the event's details. */
export interface DetailOrigin<Row> {
  readonly event: HealthEventRecord;
  findIn(details: HealthEventRecord): Row | undefined;
}

/**
 * The impact of an event, each row with its `DetailOrigin`: plain reads may withhold the GUID of a service, and the time
 * and updates of its regions.
 */
export function withDetailOrigins(event: HealthEventRecord): readonly ImpactRow[] | null {
  const rows = event.impact?.map((impact, impactIndex) => {
    const findImpact = (details: HealthEventRecord) =>
      findSameRow(details.impact, 'impactedService', impact, impactIndex);
    return {
      ...impact,
      origin: { event, findIn: findImpact } satisfies DetailOrigin<ImpactRow>,
      impactedRegions:
        impact.impactedRegions?.map((region, regionIndex) => ({
          ...region,
          origin: {
            event,
            findIn: (details) =>
              findSameRow(findImpact(details)?.impactedRegions, 'impactedRegion', region, regionIndex),
          } satisfies DetailOrigin<ImpactRegionRow>,
        })) ?? null,
    };
  });
  return rows ?? null;
}

/** The row with the same name; the one at the same index where several have it. */
function findSameRow<Row, Name extends keyof Row>(
  rows: readonly Row[] | null | undefined,
  name: Name,
  row: Row,
  index: number,
): Row | undefined {
  const sameIndex = rows?.[index];
  return sameIndex?.[name] === row[name] ? sameIndex : rows?.find((one) => one[name] === row[name]);
}
