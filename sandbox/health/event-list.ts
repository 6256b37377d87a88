import { ApiError } from '../api-error.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { jsonResponse, parseQuery } from '../http.ts';
import { cutPage } from '../instances/pages.ts';
import type { HealthEvent } from '../seed/health-event.ts';
import { readEventFilter } from './event-filter.ts';
import type { EventStore } from './events.ts';
import { toPlainEvent } from './plain.ts';

const eventsPerPage = 5;

const defaultDays = 3;
const dayMs = 86_400_000;

/**
 * Lists the plain form of events that were updated in the last three days, or since `queryStartTime`, and
 * match `$filter`. Events without an update time are always included. The real service lists up to a year, the
 * sandbox all its events.
 */
export function listEvents(request: ApiRequest, events: EventStore): ApiResponse {
  const parameters = parseQuery(request.query);
  const since = readStartDate(parameters.get('queryStartTime')) ?? Date.now() - defaultDays * dayMs;
  const filter = parameters.get('$filter');
  const passes = filter === undefined ? () => true : readEventFilter(filter);
  const found = events.list().filter((event) => !isUpdatedBefore(event, since) && passes(event));
  const { value, ...next } = cutPage(request, found, eventsPerPage);
  return jsonResponse(200, { value: value.map(toPlainEvent), ...next });
}

function isUpdatedBefore({ properties }: HealthEvent, since: number): boolean {
  const time = properties?.lastUpdateTime;
  return typeof time === 'string' && Date.parse(time) < since;
}

/** Parses the start of a day in the form month/day/year. */
function readStartDate(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, month, day, year] = /^(\d{1,2})\/(\d{1,2})\/(\d{4})$/.exec(text)?.map(Number) ?? [];
  const date = new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day));
  if (month !== undefined && date.getUTCMonth() + 1 === month && date.getUTCDate() === day) {
    return date.getTime();
  }
  throw new ApiError(400, 'InvalidParameter', 'The queryStartTime must be a date like 7/24/2020.', {
    target: 'queryStartTime',
  });
}
