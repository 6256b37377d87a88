import type { HealthEventRecord } from './event-record.ts';

/** What a list does not hold of sensitive events (docs/upstream.md): only the fetch operation gives it. */
export const withheld = [
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

/** Whether a field of this event may have been left out, rather than be empty. */
export const mayBeWithheld = ({ isListed, isEventSensitive }: HealthEventRecord): boolean =>
  isListed && isEventSensitive === true;

type Impact = NonNullable<HealthEventRecord['impact']>[number];
type Region = NonNullable<Impact['impactedRegions']>[number];

/** How what hangs below a listed event finds itself in the event's details. */
export interface Origin<Row> {
  readonly event: HealthEventRecord;
  rowIn(details: HealthEventRecord): Row | undefined;
}

/**
 * The impact of an event that a list may have withheld in part: the service's permanent id, and of the regions
 * the time and the updates.
 */
export function listedImpact(event: HealthEventRecord): readonly Impact[] | null {
  const rows = event.impact?.map((impact, place) => {
    const impactIn = (details: HealthEventRecord) =>
      sameRow(details.impact, 'impactedService', impact, place);
    return {
      ...impact,
      origin: { event, rowIn: impactIn } satisfies Origin<Impact>,
      impactedRegions:
        impact.impactedRegions?.map((region, at) => ({
          ...region,
          origin: {
            event,
            rowIn: (details) => sameRow(impactIn(details)?.impactedRegions, 'impactedRegion', region, at),
          } satisfies Origin<Region>,
        })) ?? null,
    };
  });
  return rows ?? null;
}

/** The row of the same name: the one in the same place, where several have it. */
function sameRow<Row, Name extends keyof Row>(
  rows: readonly Row[] | null | undefined,
  name: Name,
  row: Row,
  place: number,
): Row | undefined {
  const there = rows?.[place];
  return there?.[name] === row[name] ? there : rows?.find((one) => one[name] === row[name]);
}

const maxSideBySide = 4;

/** Runs tasks, four at most side by side, the others in the order they come. */
export function createPace(): <T>(task: () => Promise<T>) => Promise<T> {
  let running = 0;
  const waiting: (() => void)[] = [];

  return async (task) => {
    if (running >= maxSideBySide) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
