import { seededRecords, seededTime } from '../../seed/values.ts';
import { derivedGuid } from '../../seeded.ts';
import {
  addressFields,
  headerNavigations,
  lineNavigations,
  lineReferences,
  soldFields,
} from '../documents/document-fields.ts';
import { postAmounts } from '../documents/posted-documents.ts';
import { numberField } from '../documents/totals.ts';
import {
  choiceField,
  type EntitySet,
  entitySet,
  fieldsOf,
  readOnly,
  type SeedContext,
  type SeedRecord,
} from '../entity-set.ts';
import { idOf } from '../store.ts';

/** The same fields as those of invoices. */
export const salesCreditMemoLines: EntitySet = entitySet(
  'salesCreditMemoLines',
  'salesCreditMemoLine',
  [
    ...soldFields(...fieldsOf('invoiceDiscountAllocation decimal readonly')),
    ...fieldsOf('shipmentDate date, itemVariantId guid, locationId guid'),
  ],
  {
    navigations: [
      { name: 'salesCreditMemo', target: 'salesCreditMemos', from: 'documentId' },
      ...lineNavigations(),
    ],
    references: lineReferences(),
    linesOf: 'salesCreditMemos',
  },
);

/** Credit memos as the real service has them, which have no delivery (gap: see docs/upstream.md). */
export const salesCreditMemos: EntitySet = entitySet(
  'salesCreditMemos',
  'salesCreditMemo',
  [
    ...fieldsOf(`
      id guid readonly, number code 20 readonly, externalDocumentNumber code 35, creditMemoDate date,
      postingDate date, dueDate date, customerId guid, customerNumber code 20, customerName text 100,
      billToName text 100, billToCustomerId guid, billToCustomerNumber code 20
    `),
    ...addressFields('sellTo'),
    ...addressFields('billTo'),
    ...fieldsOf(`
      currencyId guid, shortcutDimension1Code code 20, shortcutDimension2Code code 20,
      currencyCode code 10 computed, paymentTermsId guid, shipmentMethodId guid, salesperson code 20,
      pricesIncludeTax boolean, discountAmount decimal, discountAppliedBeforeTax boolean,
      totalAmountExcludingTax decimal readonly, totalTaxAmount decimal readonly,
      totalAmountIncludingTax decimal readonly
    `),
    choiceField('status', ['Draft', 'In Review', 'Open', 'Paid', 'Canceled', 'Corrective'], readOnly),
    ...fieldsOf(`
      lastModifiedDateTime dateTime, invoiceId guid computed, invoiceNumber code 20,
      customerReturnReasonId guid, phoneNumber text 30, email text 80
    `),
  ],
  {
    navigations: [{ name: 'salesCreditMemoLines', target: 'salesCreditMemoLines' }, ...headerNavigations],
    isSubscribable: true,
    files: ['pdfDocument'],
    numberSeries: { name: 'S-CR+', prefix: 'PS-CR', first: 104_001, step: 1, digits: 6, isManual: false },
    seed: { counts: [40, 15], record: seedCreditMemo },
  },
);

/**
 * The credit memo of the n-th invoice that has one. Of a canceled invoice it takes back all, of some others the first line;
 * every seventh is a draft.
 */
function seedCreditMemo({ set, company }: SeedContext, index: number): SeedRecord | undefined {
  const invoices = seededRecords(company, 'salesInvoices').filter(
    ({ values }, place) => values.status === 'Canceled' || (values.status === 'Paid' && place % 5 === 2),
  );
  const invoice = invoices[index];
  if (!invoice) return undefined;
  const isCorrective = invoice.values.status === 'Canceled';
  const isUnposted = !isCorrective && index % 7 === 4;
  const credited = isCorrective ? invoice.lines : invoice.lines.slice(0, 1);
  const { values, lines } = postAmounts(
    company,
    { set, lines: salesCreditMemoLines },
    invoice.values,
    credited.map(({ values: line }) => ({ line, quantity: numberField(line, 'quantity') })),
    {
      id: derivedGuid(`${idOf(company.record)}:salesCreditMemos:${index}`),
      number: isUnposted ? `S-CR${1_001 + index}` : `PS-CR${104_001 + index}`,
      date: seededTime(index * 30 + 300).slice(0, 10),
      status: isCorrective ? 'Corrective' : isUnposted ? 'Draft' : index % 2 === 0 ? 'Open' : 'Paid',
    },
  );
  return {
    lines: lines ?? [],
    values: {
      ...values,
      invoiceId: idOf(invoice),
      invoiceNumber: invoice.values.number ?? '',
      // The sandbox has no records of reasons.
      ...(isCorrective ? {} : { customerReturnReasonId: derivedGuid('return-reason:0') }),
    },
  };
}
