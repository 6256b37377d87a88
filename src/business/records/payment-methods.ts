import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

/** How customers pay. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const paymentMethods = {
  type: 'PaymentMethod',
  names: { one: 'paymentMethod', many: 'paymentMethods' },
  entitySet: 'paymentMethods',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    lastModifiedDateTime: 'dateTime',
  },
  list: { one: 'a way to pay', many: 'ways to pay' },
} as const satisfies RecordTypeDescriptor;

export type PaymentMethodRecord = RecordFrom<typeof paymentMethods>;
