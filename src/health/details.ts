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
