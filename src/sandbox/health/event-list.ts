import type { Answer, Call } from '../http.ts';
import { json, readParameters } from '../http.ts';
import { pageOf } from '../instances/pages.ts';
import { Refusal } from '../refusal.ts';
import type { HealthEvent } from '../seed/health-event.ts';
import { readEventFilter } from './event-filter.ts';
import type { Events } from './events.ts';
import { plainOf } from './plain.ts';

/** Events of one page. */
const pageSize = 5;

const defaultDays = 3;
const dayMs = 86_400_000;

/**
 * Lists events as plain reads show them: those updated in the last three days, or since
 * `queryStartTime`, that pass `$filter`. An event without a time is always there. The real
 * service looks back a year at most, the sandbox to its oldest event.
 */
export function listEvents(call: Call, events: Events): Answer {
  const parameters = readParameters(call.query);
  const since = readStart(parameters.get('queryStartTime')) ?? Date.now() - defaultDays * dayMs;
  const filter = parameters.get('$filter');
  const passes = filter === undefined ? () => true : readEventFilter(filter);
  const found = events.list().filter((event) => !isBefore(event, since) && passes(event));
  const { value, ...next } = pageOf(call, found, pageSize);
  return json(200, { value: value.map(plainOf), ...next });
}

function isBefore({ properties }: HealthEvent, since: number): boolean {
  const time = properties?.lastUpdateTime;
  return typeof time === 'string' && Date.parse(time) < since;
}

/** The start of a day, written the American way: month, day, year. */
function readStart(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)?.map(Number) ?? [];
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  if (month !== undefined && date.getUTCMonth() + 1 === month && date.getUTCDate() === day) {
    return date.getTime();
  }
  throw new Refusal(400, 'InvalidParameter', 'The queryStartTime must be a date like 7/24/2020.', {
    target: 'queryStartTime',
  });
}
