import { seededParties, seedLine } from '../../seed/order-lines.ts';
import { seededTime } from '../../seed/values.ts';
import { derivedGuid, elementAt, type Random } from '../../seeded.ts';
import {
  addressFields,
  currencyReference,
  headerNavigations,
  lineNavigations,
  lineReferences,
  partyReferences,
  paymentTermsReference,
  shipmentMethodReference,
  soldFields,
} from '../documents/document-fields.ts';
import {
  copyPartyFields,
  copyPayerFields,
  customerParty,
  shipmentDateOf,
} from '../documents/order-parties.ts';
import { calculateTotals, numberField } from '../documents/totals.ts';
import {
  choiceField,
  type EntitySet,
  entitySet,
  fieldsOf,
  type RecordValues,
  readOnly,
  type SeedContext,
  type SeedRecord,
  unsetDate,
} from '../entity-set.ts';
import { type Company, idOf } from '../store.ts';
import { blankValues } from '../writes/field-values.ts';

/** The line object of A4 and what the real service adds, under the document's names `lineNo` and `itemNo`. */
export const salesOrderLines: EntitySet = entitySet(
  'salesOrderLines',
  'salesOrderLine',
  [
    ...soldFields(...fieldsOf('invoiceDiscountAllocation decimal readonly')),
    ...fieldsOf(`
      shipmentDate date, shippedQuantity decimal readonly, invoicedQuantity decimal readonly,
      invoiceQuantity decimal, shipQuantity decimal, itemVariantId guid, locationId guid
    `),
  ],
  {
    navigations: [{ name: 'salesOrder', target: 'salesOrders', from: 'documentId' }, ...lineNavigations()],
    references: lineReferences(),
    linesOf: 'salesOrders',
  },
);

/** A4 with the full addresses. `documentLines` is a field and, like `salesOrderLines`, a navigation. */
export const salesOrders: EntitySet = entitySet(
  'salesOrders',
  'salesOrder',
  [
    ...fieldsOf(`
      id guid readonly, number code 20 readonly, externalDocumentNumber code 35, orderDate date,
      postingDate date, customerId guid, customerNumber code 20, customerName text 100 readonly,
      billToName text 100 readonly, billToCustomerId guid, billToCustomerNumber code 20,
      shipToName text 100, shipToContact text 100
    `),
    ...addressFields('sellTo'),
    ...addressFields('billTo', 'readonly'),
    ...addressFields('shipTo'),
    ...fieldsOf(`
      shortcutDimension1Code code 20, shortcutDimension2Code code 20, currencyId guid,
      currencyCode code 10 computed, pricesIncludeTax boolean, paymentTermsId guid,
      shipmentMethodId guid, salesperson code 20, partialShipping boolean computed,
      requestedDeliveryDate date, discountAmount decimal, discountAppliedBeforeTax boolean readonly,
      totalAmountExcludingTax decimal readonly, totalTaxAmount decimal readonly,
      totalAmountIncludingTax decimal readonly, fullyShipped boolean readonly
    `),
    choiceField('status', ['Draft', 'In Review', 'Open'], readOnly),
    ...fieldsOf('lastModifiedDateTime dateTime, phoneNumber text 30, email text 80'),
    { name: 'documentLines', kind: 'lines', ...readOnly },
  ],
  {
    navigations: [
      { name: 'documentLines', target: 'salesOrderLines', isOnlyInDocument: true },
      { name: 'salesOrderLines', target: 'salesOrderLines' },
      ...headerNavigations,
    ],
    references: [...partyReferences, currencyReference, paymentTermsReference, shipmentMethodReference],
    isSubscribable: true,
    files: ['pdfDocument'],
    writes: ['POST', 'PATCH', 'DELETE'],
    actions: ['shipAndInvoice'],
    numberSeries: { name: 'S-ORD', prefix: 'S-ORD', first: 101_001, step: 1, digits: 6, isManual: false },
    document: {
      caption: 'Sales Order',
      party: customerParty,
      lines: salesOrderLines,
      defaults: (today) => ({
        orderDate: today,
        postingDate: today,
        partialShipping: true,
        discountAppliedBeforeTax: true,
      }),
      lineDefaults: (order, { quantity = 0 }) => ({
        shipmentDate: shipmentDateOf(order),
        invoiceQuantity: quantity,
        shipQuantity: quantity,
      }),
    },
    seed: { counts: [240, 80], record: seedOrder },
  },
);

/** One order of the number series, S-ORD101001 first, with one to five lines. */
function seedOrder({ set, company, random }: SeedContext, index: number): SeedRecord {
  const id = derivedGuid(`${idOf(company.record)}:salesOrders:${index}`);
  const { customer, payer } = seededParties(company, index);
  const orderDate = seededTime(index * 15).slice(0, 10);
  const header: RecordValues = {
    ...blankValues(set),
    ...copyPartyFields(customerParty, customer),
    ...copyPayerFields(customerParty, payer),
    id,
    number: `S-ORD${101_001 + index}`,
    externalDocumentNumber: random.oneIn(2) ? `PO-${random.between(1000, 9999)}` : '',
    orderDate,
    postingDate: orderDate,
    requestedDeliveryDate: random.oneIn(3) ? unsetDate : seededTime(index * 15 + 160).slice(0, 10),
    shipToContact: random.oneIn(2) ? 'Goods inward' : '',
    shortcutDimension1Code: random.pick(['', 'SALES', 'PROJECT']),
    shortcutDimension2Code: random.pick(['', 'SMALL', 'MEDIUM', 'LARGE']),
    pricesIncludeTax: index % 25 === 24,
    partialShipping: !random.oneIn(5),
    discountAmount: index % 10 === 6 ? random.between(1, 5) : 0,
    discountAppliedBeforeTax: true,
    fullyShipped: index % 16 === 15,
    status: elementAt(['Draft', 'Open', 'Draft', 'In Review', 'Open'], index),
    lastModifiedDateTime: seededTime(index * 4),
  };
  const count = 1 + (index % 5);
  const lines = Array.from({ length: count }, (_, lineIndex) =>
    seedOrderLine(company, header, customer, index, lineIndex, random),
  );
  const totalled = calculateTotals(header, lines);
  return { values: totalled.order, lines: totalled.lines };
}

function seedOrderLine(
  company: Company,
  order: RecordValues,
  customer: RecordValues,
  index: number,
  lineIndex: number,
  random: Random,
): RecordValues {
  const line = seedLine(company, order, customer, salesOrderLines, index, lineIndex, random);
  const quantity = numberField(line, 'quantity');
  const isShipped = order.fullyShipped === true;
  // The first of several lines: an order that is shipped and invoiced in full is finished.
  const isInvoiced = isShipped && index % 32 === 31 && index % 5 > 0 && lineIndex === 0;
  return {
    ...line,
    shipmentDate: shipmentDateOf(order),
    shippedQuantity: isShipped ? quantity : 0,
    shipQuantity: isShipped ? 0 : quantity,
    invoicedQuantity: isInvoiced ? quantity : 0,
    invoiceQuantity: isInvoiced ? 0 : quantity,
  };
}
