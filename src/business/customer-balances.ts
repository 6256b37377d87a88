import type { RecordFrom, RecordSet } from './record-set.ts';

/** What a customer owes, as the real service sums it up for each read (docs/upstream.md). */
export const customerFinancialDetails = {
  type: 'CustomerFinancials',
  entitySet: 'customerFinancialDetails',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    balance: 'decimal',
    totalSalesExcludingTax: 'decimal',
    overdueAmount: 'decimal',
  },
} as const satisfies RecordSet;

const idOfCustomer = { names: { id: 'customerId' } } as const;

/** What a customer owes by how long it is due. The real service computes all customers for each read of one. */
export const agedAccountsReceivables = {
  type: 'AgedReceivables',
  entitySet: 'agedAccountsReceivables',
  route: 'v2.0',
  fields: {
    id: 'uuid',
    balanceDue: 'decimal',
    currentAmount: 'decimal',
    period1Label: 'text',
    period1Amount: 'decimal',
    period2Label: 'text',
    period2Amount: 'decimal',
    period3Label: 'text',
    period3Amount: 'decimal',
    agedAsOfDate: 'date',
    periodLengthFilter: 'text',
  },
  dialects: { document: idOfCustomer, dynamics: idOfCustomer },
} as const satisfies RecordSet;

export type CustomerFinancialsRecord = RecordFrom<typeof customerFinancialDetails>;

export type AgedReceivablesRecord = RecordFrom<typeof agedAccountsReceivables>;
