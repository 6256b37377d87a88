import { dueWithin, openAmounts, salesTo } from '../documents/customer-balances.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

/** A record for each customer, with its id. The amounts follow from invoices and credit memos. */
export const customerFinancialDetails: EntitySet = entitySet(
  'customerFinancialDetails',
  'customerFinancialDetail',
  fieldsOf(`
      id guid, number code 20, balance decimal computed, totalSalesExcludingTax decimal computed,
      overdueAmount decimal computed, lastModifiedDateTime dateTime
    `),
  {
    computation: {
      from: 'customers',
      values: (company, { id = '', number = '', lastModifiedDateTime = '' }) => {
        const open = openAmounts(company, String(id));
        return {
          id,
          number,
          lastModifiedDateTime,
          balance: dueWithin(open, '', '9999-12-32'),
          totalSalesExcludingTax: salesTo(company, String(id)),
          overdueAmount: dueWithin(open, '', new Date().toISOString().slice(0, 10)),
        };
      },
    },
  },
);
