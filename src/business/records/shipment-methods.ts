import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

/** How goods travel. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const shipmentMethods = {
  type: 'ShipmentMethod',
  names: { one: 'shipmentMethod', many: 'shipmentMethods' },
  entitySet: 'shipmentMethods',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    lastModifiedDateTime: 'dateTime',
  },
  list: { one: 'a way of shipment', many: 'ways of shipment' },
} as const satisfies RecordTypeDescriptor;

export type ShipmentMethodRecord = RecordFrom<typeof shipmentMethods>;
