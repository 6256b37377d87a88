import { isDraft, linesWith, shippedOrder } from '../../seed/shipped-orders.ts';
import { seededTime } from '../../seed/values.ts';
import { derivedGuid } from '../../seeded.ts';
import { addressFields } from '../documents/document-fields.ts';
import { postShipment } from '../documents/posted-documents.ts';
import type { EntitySet, SeedContext, SeedRecord } from '../entity-set.ts';
import {
  booleanField,
  codeField,
  computed,
  dateField,
  dateTimeField,
  entitySet,
  guidField,
  textField,
} from '../entity-set.ts';
import { headerNavigations } from '../reference-fields.ts';
import { idOf } from '../store.ts';
import { salesShipmentLines } from './sales-shipment-lines.ts';

/** Shipments as the real service has them: without amounts and status, and with the number of their order alone. */
export const salesShipments: EntitySet = entitySet(
  'salesShipments',
  'salesShipment',
  [
    guidField('id'),
    codeField('number', 20),
    codeField('externalDocumentNumber', 35),
    dateField('invoiceDate'),
    dateField('postingDate'),
    dateField('dueDate'),
    textField('customerPurchaseOrderReference', 35),
    guidField('customerId'),
    codeField('customerNumber', 20),
    textField('customerName', 100),
    textField('billToName', 100),
    guidField('billToCustomerId'),
    codeField('billToCustomerNumber', 20),
    textField('shipToName', 100),
    textField('shipToContact', 100),
    ...addressFields('sellTo'),
    ...addressFields('billTo'),
    ...addressFields('shipTo'),
    codeField('currencyCode', 10, computed),
    codeField('orderNumber', 20),
    codeField('paymentTermsCode', 10),
    codeField('shipmentMethodCode', 10),
    codeField('salesperson', 20),
    booleanField('pricesIncludeTax'),
    dateTimeField('lastModifiedDateTime'),
    textField('phoneNumber', 30),
    textField('email', 80),
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
