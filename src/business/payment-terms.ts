import type { RecordOf, RecordSet } from './records.ts';
import { recordResolvers } from './resolvers.ts';

/** When documents have to be paid. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const paymentTerms = {
  type: 'PaymentTerm',
  entitySet: 'paymentTerms',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    code: 'text',
    displayName: 'text',
    dueDateCalculation: 'text',
    discountDateCalculation: 'text',
    discountPercent: 'decimal',
    calculateDiscountOnCreditMemos: 'boolean',
    lastModifiedDateTime: 'dateTime',
  },
} as const satisfies RecordSet;

export type PaymentTermRecord = RecordOf<(typeof paymentTerms)['fields']>;

export const paymentTermResolvers = recordResolvers(paymentTerms, 'paymentTerm', 'paymentTerms');
