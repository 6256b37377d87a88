import type { DocumentNode } from 'graphql';
import { parseDefinitions } from '../graph/definition-keys.ts';

/** Types that are resources of area B, by what their events are described with. */
const resources = {
  ApplicationInstance: 'the instance or one of its machines',
  CentralInstance: 'the instance or one of its machines',
  DatabaseInstance: 'the instance or one of its machines',
  VirtualInstance: 'the virtual instance, one of its instances, or one of their machines',
} as const;
const machines = ['ApplicationInstanceMachine', 'CentralInstanceMachine', 'DatabaseInstanceMachine'] as const;

/** What area C says of resources of area B: their availability, and the events that affect them. */
export const instanceHealthDefs = (): DocumentNode =>
  parseDefinitions(
    [
      ...Object.entries(resources).map(([type, touched]) => resourceDefs(type, touched)),
      ...machines.map((type) => `extend type ${type} {${availabilityDef}}`),
    ].join('\n'),
  );

const availabilityDef = `
  "Whether the provider's monitoring finds it available; null where it does not watch this kind of resource. Several of one resource group are read with one list."
  availability: ResourceAvailability`;

const resourceDefs = (type: string, touched: string): string => `
extend type ${type} {${availabilityDef}
  "The events of its subscription that affect ${touched}, other than security advisories. The resources of each event are read once for all instances; a filter of events keeps those of others from being read."
  healthEvents(
    "Only events last updated at this instant or later, and events without a time of update; when omitted, the upstream decides how far back the list goes, usually three days."
    since: DateTime
    "How many to return, 1 to 1000."
    first: Int = 50
    "The cursor to continue after, taken from an earlier page of the same list, filter and order."
    after: String
    "Which rows to return; all when omitted."
    filter: HealthEventFilter
    "The sort keys, most significant first; the upstream's order when omitted."
    orderBy: [HealthEventOrder!]
  ): HealthEventConnection
}`;
