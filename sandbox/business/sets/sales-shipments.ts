import { isDraft, linesWith, shippedOrder } from '../../seed/shipped-orders.ts';
import { seededTime } from '../../seed/values.ts';
import { derivedGuid } from '../../seeded.ts';
import { addressFields, headerNavigations } from '../documents/document-fields.ts';
import { postShipment } from '../documents/posted-documents.ts';
import {
  choiceField,
  type EntitySet,
  entitySet,
  fieldsOf,
  type SeedContext,
  type SeedRecord,
} from '../entity-set.ts';
import { idOf } from '../store.ts';

/** Quantities and prices, without ids and amounts. The types have words of their own. */
export const salesShipmentLines: EntitySet = entitySet(
  'salesShipmentLines',
  'salesShipmentLine',
  [
    ...fieldsOf('id guid, documentId guid, documentNo code 20, lineNo integer'),
    choiceField('lineType', [' ', 'G/L Account', 'Item']),
    ...fieldsOf(`
      itemNo code 20, description text 100, description2 text 50, unitOfMeasureCode code 10,
      unitPrice decimal, quantity decimal, discountPercent decimal, taxPercent decimal,
      shipmentDate date
    `),
  ],
  {
    navigations: [{ name: 'salesShipment', target: 'salesShipments', from: 'documentId' }],
    linesOf: 'salesShipments',
  },
);

/** Shipments as the real service has them: without amounts and status, and with the number of their order alone. */
export const salesShipments: EntitySet = entitySet(
  'salesShipments',
  'salesShipment',
  [
    ...fieldsOf(`
      id guid, number code 20, externalDocumentNumber code 35, invoiceDate date, postingDate date,
      dueDate date, customerPurchaseOrderReference text 35, customerId guid, customerNumber code 20,
      customerName text 100, billToName text 100, billToCustomerId guid, billToCustomerNumber code 20,
      shipToName text 100, shipToContact text 100
    `),
    ...addressFields('sellTo'),
    ...addressFields('billTo'),
    ...addressFields('shipTo'),
    ...fieldsOf(`
      currencyCode code 10 computed, orderNumber code 20, paymentTermsCode code 10,
      shipmentMethodCode code 10, salesperson code 20, pricesIncludeTax boolean,
      lastModifiedDateTime dateTime, phoneNumber text 30, email text 80
    `),
  ],
  {
    navigations: [
      { name: 'salesShipmentLines', target: 'salesShipmentLines' },
      ...headerNavigations.filter(({ name }) => name === 'customer'),
    ],
    numberSeries: { name: 'S-SHPT', prefix: 'S-SHPT', first: 102_001, step: 1, digits: 6, isManual: false },
    seed: { counts: [90, 30], record: seedShipment },
  },
);

/** The shipment of a shipped order. */
function seedShipment({ set, company }: SeedContext, index: number): SeedRecord | undefined {
  const source = shippedOrder(company, index);
  if (isDraft(index, source)) return undefined;
  const shipment = postShipment(
    company,
    { set, lines: salesShipmentLines },
    source.order,
    linesWith(source.lines, 'shippedQuantity'),
    {
      id: derivedGuid(`${idOf(company.record)}:salesShipments:${index}`),
      number: `S-SHPT${102_001 + index}`,
      date: seededTime(index * 12 + 24).slice(0, 10),
    },
  );
  return {
    lines: shipment.lines ?? [],
    values: {
      ...shipment.values,
      orderNumber: source.order.number ?? '',
      customerPurchaseOrderReference: index % 3 === 0 ? 'Spring opening' : '',
    },
  };
}
