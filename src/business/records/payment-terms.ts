import type { RecordFrom } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

/** When documents have to be paid. The document reaches them by `$expand` alone; their fields are the real service's (docs/upstream.md). */
export const paymentTerms = {
  type: 'PaymentTerm',
  names: { one: 'paymentTerm', many: 'paymentTerms' },
  entitySet: 'paymentTerms',
  route: 'v2.0',
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
  list: { one: 'a term of payment', many: 'terms of payment' },
} as const satisfies RecordTypeDescriptor;

export type PaymentTermRecord = RecordFrom<typeof paymentTerms>;
