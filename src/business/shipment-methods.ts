import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers } from './resolvers.ts';

/** How goods travel. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const shipmentMethods = {
  type: 'ShipmentMethod',
  entitySet: 'shipmentMethods',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type ShipmentMethodRecord = RecordOf<(typeof shipmentMethods)['fields']>;

export const shipmentMethodResolvers = recordResolvers(shipmentMethods, 'shipmentMethod', 'shipmentMethods');
