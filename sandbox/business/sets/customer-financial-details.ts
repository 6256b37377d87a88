import { numberField, roundAmount } from '../documents/totals.ts';
import { type Company, type EntitySet, entitySet, fieldsOf, type RecordValues } from '../entity-set.ts';
import { recordsOf } from '../store.ts';

/** An open amount of a customer: of an invoice, or negative of a credit memo. */
interface OpenAmount {
  readonly amount: number;
  readonly dueDate: string;
}

const isPosted = ({ status }: RecordValues): boolean => status !== 'Draft' && status !== 'In Review';

/** Posted documents that a customer pays, or is paid. */
function postedOf(company: Company, set: string, customerId: string): readonly RecordValues[] {
  return [...recordsOf(company, set).values()]
    .map(({ values }) => values)
    .filter((values) => values.billToCustomerId === customerId && isPosted(values));
}

/** Amounts in other currencies count as those of the home currency: the sandbox has no exchange rates. */
function openAmounts(company: Company, customerId: string): readonly OpenAmount[] {
  const invoices = postedOf(company, 'salesInvoices', customerId).map((one) => ({
    amount: numberField(one, 'remainingAmount'),
    dueDate: String(one.dueDate),
  }));
  const credits = postedOf(company, 'salesCreditMemos', customerId)
    .filter(({ status }) => status === 'Open')
    .map((one) => ({ amount: -numberField(one, 'totalAmountIncludingTax'), dueDate: String(one.dueDate) }));
  return [...invoices, ...credits];
}

/** What a customer has bought so far, without tax, less what was credited. */
function salesTo(company: Company, customerId: string): number {
  const total = (set: string) =>
    postedOf(company, set, customerId).reduce(
      (sum, one) => sum + numberField(one, 'totalAmountExcludingTax'),
      0,
    );
  return roundAmount(total('salesInvoices') - total('salesCreditMemos'));
}

/** The sum of what is due within some days: the first included, the last not. */
function dueWithin(open: readonly OpenAmount[], first: string, end: string): number {
  return roundAmount(
    open
      .filter(({ dueDate }) => dueDate >= first && dueDate < end)
      .reduce((sum, { amount }) => sum + amount, 0),
  );
}

/** A record for each customer, with its id. The amounts follow from invoices and credit memos. */
export const customerFinancialDetails: EntitySet = entitySet(
  'customerFinancialDetails',
  'customerFinancialDetail',
  {
    fields: fieldsOf(`
      id guid, number code 20, balance decimal computed, totalSalesExcludingTax decimal computed,
      overdueAmount decimal computed, lastModifiedDateTime dateTime
    `),
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
          overdueAmount: dueWithin(open, '', daysAgo(0)),
        };
      },
    },
  },
);

/** A record for each customer under the customer's id, `customerId`. The real service ends its list with the totals of all. */
export const agedAccountsReceivables: EntitySet = entitySet(
  'agedAccountsReceivables',
  'agedAccountsReceivable',
  {
    fields: fieldsOf(`
      customerId guid, customerNumber code 20, name text 100, currencyCode code 10 computed,
      balanceDue decimal computed, currentAmount decimal computed, period1Label text 100 computed,
      period1Amount decimal computed, period2Label text 100 computed, period2Amount decimal computed,
      period3Label text 100 computed, period3Amount decimal computed, agedAsOfDate date,
      periodLengthFilter text 10
    `),
    computation: {
      from: 'customers',
      values: (company, { id = '', number = '', displayName = '', currencyCode = '' }) => {
        const open = openAmounts(company, String(id));
        const [today, first, second] = [daysAgo(0), daysAgo(30), daysAgo(60)];
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
          periodLengthFilter: '30D',
        };
      },
    },
  },
);

function daysAgo(days: number): string {
  return new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
}
