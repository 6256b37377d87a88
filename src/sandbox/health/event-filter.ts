import { Refusal } from '../refusal.ts';
import type { HealthEvent } from '../seed/health-event.ts';

type Predicate = (event: HealthEvent) => boolean;

const token = /'(?:[^']|'')*'|[^\s']+/g;
const wellFormed = new RegExp(`^\\s*(?:${token.source})(?:\\s+(?:${token.source}))*\\s*$`);

/** What an event has of each name that a filter may use. */
const valuesOf: Readonly<Record<string, (event: HealthEvent) => readonly unknown[]>> = {
  eventType: ({ properties }) => [properties?.eventType],
  status: ({ properties }) => [properties?.status],
  service: (event) => impactsOf(event).map(({ impactedService }) => impactedService),
  region: (event) =>
    impactsOf(event)
      .flatMap(({ impactedRegions }) => objects(impactedRegions))
      .map(({ impactedRegion }) => impactedRegion),
};

/**
 * Reads `$filter` of a list of events: `name eq value`, joined by `and` and `or`, with `properties/`
 * before the name or not, and the value in quotes or not. Anything else is refused
 * (gap: no more is known of it; see docs/upstream.md).
 */
export function readEventFilter(text: string): Predicate {
  if (!wellFormed.test(text)) throw unreadable(text);
  const tokens = text.match(token) ?? [];
  const anyOf: Predicate[][] = [[]];
  for (let at = 0; at <= tokens.length; at += 4) {
    const [name = '', operator = '', value, joint = 'end'] = tokens.slice(at, at + 4);
    const read = readName(name);
    if (!read || operator.toLowerCase() !== 'eq' || value === undefined) throw unreadable(text);
    const wanted = unquoted(value).toLowerCase();
    anyOf.at(-1)?.push((event) => read(event).some((one) => textOf(one) === wanted));
    if (joint === 'end') break;
    if (joint.toLowerCase() === 'or') anyOf.push([]);
    else if (joint.toLowerCase() !== 'and') throw unreadable(text);
  }
  return (event) => anyOf.some((allOf) => allOf.every((passes) => passes(event)));
}

function readName(name: string): ((event: HealthEvent) => readonly unknown[]) | undefined {
  const bare = name.replace(/^properties\//i, '');
  const known = Object.keys(valuesOf).find((one) => one.toLowerCase() === bare.toLowerCase());
  return known === undefined ? undefined : valuesOf[known];
}

function unquoted(value: string): string {
  return value.startsWith("'") ? value.slice(1, -1).replaceAll("''", "'") : value;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value.toLowerCase() : undefined;
}

function impactsOf({ properties }: HealthEvent): Record<string, unknown>[] {
  return objects(properties?.impact);
}

function objects(list: unknown): Record<string, unknown>[] {
  return Array.isArray(list) ? list.filter((one) => typeof one === 'object' && one !== null) : [];
}

function unreadable(text: string): Refusal {
  return new Refusal(400, 'InvalidFilter', `The filter '${text}' is not supported.`, { target: '$filter' });
}
