import { ApiError } from '../api-error.ts';
import type { HealthEvent } from '../seed/health-event.ts';

type EventPredicate = (event: HealthEvent) => boolean;

const filterToken = /'(?:[^']|'')*'|[^\s']+/g;
const wellFormed = new RegExp(`^\\s*(?:${filterToken.source})(?:\\s+(?:${filterToken.source}))*\\s*$`);

/** The values of an event for each name that a filter can use. */
const filterableValues: Readonly<Record<string, (event: HealthEvent) => readonly unknown[]>> = {
  eventType: ({ properties }) => [properties?.eventType],
  status: ({ properties }) => [properties?.status],
  service: (event) => impactsOf(event).map(({ impactedService }) => impactedService),
  region: (event) =>
    impactsOf(event)
      .flatMap(({ impactedRegions }) => objectsIn(impactedRegions))
      .map(({ impactedRegion }) => impactedRegion),
};

/**
 * Parses the `$filter` of an event list: `name eq value`, joined by `and` and `or`. The prefix `properties/`
 * and quotes around the value are optional. Throws an `ApiError` for anything else (gap: see
 * docs/upstream.md).
 */
export function readEventFilter(text: string): EventPredicate {
  if (!wellFormed.test(text)) throw invalidFilterError(text);
  const tokens = text.match(filterToken) ?? [];
  const anyOf: EventPredicate[][] = [[]];
  for (let at = 0; at <= tokens.length; at += 4) {
    const [name = '', operator = '', value, joint = 'end'] = tokens.slice(at, at + 4);
    const read = readName(name);
    if (!read || operator.toLowerCase() !== 'eq' || value === undefined) throw invalidFilterError(text);
    const expected = unquoted(value).toLowerCase();
    anyOf.at(-1)?.push((event) => read(event).some((one) => lowerCaseText(one) === expected));
    if (joint === 'end') break;
    if (joint.toLowerCase() === 'or') anyOf.push([]);
    else if (joint.toLowerCase() !== 'and') throw invalidFilterError(text);
  }
  return (event) => anyOf.some((allOf) => allOf.every((passes) => passes(event)));
}

function readName(name: string): ((event: HealthEvent) => readonly unknown[]) | undefined {
  const bare = name.replace(/^properties\//i, '');
  const known = Object.keys(filterableValues).find((one) => one.toLowerCase() === bare.toLowerCase());
  return known === undefined ? undefined : filterableValues[known];
}

function unquoted(value: string): string {
  return value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value;
}

function lowerCaseText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

function impactsOf({ properties }: HealthEvent): Record<string, unknown>[] {
  return objectsIn(properties?.impact);
}

function objectsIn(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];
}

function invalidFilterError(text: string): ApiError {
  return new ApiError(400, 'InvalidFilter', `The filter '${text}' is not supported.`, { target: '$filter' });
}
