import { type DocumentNode, Kind } from 'graphql';
import { extendType, field, input, listArguments } from '../graph/definitions.ts';

/** The types of area B that have events, with the resources that an event may affect, for descriptions. */
const resources = {
  ApplicationInstance: 'the instance or one of its machines',
  CentralInstance: 'the instance or one of its machines',
  DatabaseInstance: 'the instance or one of its machines',
  VirtualInstance: 'the virtual instance, one of its instances, or one of their machines',
} as const;
const machines = ['ApplicationInstanceMachine', 'CentralInstanceMachine', 'DatabaseInstanceMachine'] as const;

const availability = field(
  "Whether the provider's monitoring finds it available; null where it does not watch this kind of resource. Several of one resource group are read with one list.",
  'availability',
  'ResourceAvailability',
);

const healthEvents = (affected: string) =>
  field(
    `The events of its subscription that affect ${affected}, other than security advisories. The resources of each event are read once for all instances; a filter of events keeps those of others from being read.`,
    'healthEvents',
    'HealthEventConnection',
    [
      input(
        'Only events last updated at this instant or later, and events without a time of update; when omitted, the upstream decides how far back the list goes, usually three days.',
        'since',
        'DateTime',
      ),
      ...listArguments('HealthEventFilter', 'HealthEventOrder'),
    ],
  );

/** The fields of area C on resources of area B: their availability, and the events that affect them. */
export const instanceHealthDefs = (): DocumentNode => ({
  kind: Kind.DOCUMENT,
  definitions: [
    ...Object.entries(resources).map(([type, affected]) =>
      extendType(type, [availability, healthEvents(affected)]),
    ),
    ...machines.map((type) => extendType(type, [availability])),
  ],
});
