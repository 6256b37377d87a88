import { dueWithin, openAmounts } from '../documents/customer-balances.ts';
import type { EntitySet } from '../entity-set.ts';
import { entitySet, fieldsOf } from '../entity-set.ts';

const periodDays = 30;

/** A record for each customer under the customer's id, `customerId`. The real service ends its list with the totals of all. */
export const agedAccountsReceivables: EntitySet = entitySet(
  'agedAccountsReceivables',
  'agedAccountsReceivable',
  fieldsOf(`
      customerId guid, customerNumber code 20, name text 100, currencyCode code 10 computed,
      balanceDue decimal computed, currentAmount decimal computed, period1Label text 100 computed,
      period1Amount decimal computed, period2Label text 100 computed, period2Amount decimal computed,
      period3Label text 100 computed, period3Amount decimal computed, agedAsOfDate date,
      periodLengthFilter text 10
    `),
  {
    computation: {
      from: 'customers',
      values: (company, { id = '', number = '', displayName = '', currencyCode = '' }) => {
        const open = openAmounts(company, String(id));
        const [today = '', first = '', second = ''] = [0, 1, 2].map((periods) =>
          daysAgo(periods * periodDays),
        );
        return {
          id,
          customerId: id,
          customerNumber: number,
          name: displayName,
          currencyCode,
          balanceDue: dueWithin(open, '', '9999-12-32'),
          currentAmount: dueWithin(open, today, '9999-12-32'),
          period1Label: `${first}-${today}`,
          period1Amount: dueWithin(open, first, today),
          period2Label: `${second}-${first}`,
          period2Amount: dueWithin(open, second, first),
          period3Label: `-${second}`,
          period3Amount: dueWithin(open, '', second),
          agedAsOfDate: today,
          periodLengthFilter: `${periodDays}D`,
        };
      },
    },
  },
);

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
