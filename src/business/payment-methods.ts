import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers } from './resolvers.ts';

/** How customers pay. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const paymentMethods = {
  type: 'PaymentMethod',
  entitySet: 'paymentMethods',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type PaymentMethodRecord = RecordOf<(typeof paymentMethods)['fields']>;

export const paymentMethodResolvers = recordResolvers(paymentMethods, 'paymentMethod', 'paymentMethods');
