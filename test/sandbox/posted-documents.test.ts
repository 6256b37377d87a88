import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const address = (prefix: string) =>
  ['AddressLine1', 'AddressLine2', 'City', 'Country', 'State', 'PostCode']
    .map((part) => prefix + part)
    .join(' ');

const parties = `id number externalDocumentNumber postingDate dueDate customerId customerNumber customerName billToName billToCustomerId billToCustomerNumber ${address('sellTo')} ${address('billTo')} currencyCode salesperson pricesIncludeTax phoneNumber email lastModifiedDateTime`;
const delivery = `shipToName shipToContact ${address('shipTo')}`;
const terms =
  'currencyId shortcutDimension1Code shortcutDimension2Code paymentTermsId shipmentMethodId discountAmount discountAppliedBeforeTax totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax status';
const amountLine =
  'id documentId lineType itemId accountId description description2 unitOfMeasureId unitOfMeasureCode quantity unitPrice discountAmount discountPercent discountAppliedBeforeTax amountExcludingTax taxCode taxPercent totalTaxAmount amountIncludingTax invoiceDiscountAllocation netAmount netTaxAmount netAmountIncludingTax shipmentDate itemVariantId locationId';

/** By entity set: the fields of a record, and of a line without its number and that of its item. */
const fieldsOf = {
  salesInvoices: [
    `${parties} ${delivery} ${terms} invoiceDate promisedPayDate customerPurchaseOrderReference orderId orderNumber disputeStatusId disputeStatus remainingAmount`,
    amountLine,
  ],
  salesShipments: [
    `${parties} ${delivery} invoiceDate customerPurchaseOrderReference orderNumber paymentTermsCode shipmentMethodCode`,
    'id documentId documentNo lineType description description2 unitOfMeasureCode unitPrice quantity discountPercent taxPercent shipmentDate',
  ],
  salesCreditMemos: [
    `${parties} ${terms} creditMemoDate invoiceId invoiceNumber customerReturnReasonId`,
    amountLine,
  ],
} as const;
const sets = Object.keys(fieldsOf) as (keyof typeof fieldsOf)[];
const linesOf = (set: string) => `${set.slice(0, -1)}Lines`;

const namesOf = (record: Json) =>
  Object.keys(record)
    .filter((name) => !name.startsWith('@'))
    .sort();

describe.each([
  ['document', document, 'lineNo itemNo'],
  ['dynamics', dynamics, 'sequence lineObjectNumber'],
] as const)('posted documents of %s', (dialect, sandbox, ownNames) => {
  test('A.posted.1 A document has exactly its fields, and its lines only when they are expanded', async () => {
    for (const set of sets) {
      const [fields, lineFields] = fieldsOf[set];
      const [one] = await sandbox.list(`${company}/${set}?$top=1`);
      const { body } = await sandbox.get(`${company}/${set}(${one.id})?$expand=${linesOf(set)}`);
      const { [linesOf(set)]: lines, ...header } = body;

      expect(namesOf(one), set).toEqual(fields.split(' ').sort());
      expect(namesOf(header), set).toEqual(namesOf(one));
      expect(namesOf(lines[0]), set).toEqual(`${lineFields} ${ownNames}`.split(' ').sort());
      expect(lines[0].documentId).toBe(one.id);
    }
  });

  test('A.posted.2 No shipment is created, changed or deleted, and no invoice or credit memo that is posted', async () => {
    for (const set of sets) {
      const isShipment = set === 'salesShipments';
      const filter = isShipment ? '' : "&$filter=status eq 'Open'";
      const [one] = await sandbox.list(`${company}/${set}?$top=1&$expand=${linesOf(set)}${filter}`);
      const path = `${company}/${set}(${one.id})`;
      const replies = [
        ...(isShipment ? [await sandbox.post(`${company}/${set}`, { customerNumber: 'C10000' })] : []),
        await sandbox.patch(path, '*', { email: 'a@b.example' }),
        await sandbox.send('DELETE', path),
        await sandbox.post(`${company}/${linesOf(set)}`, { documentId: one.id, lineType: 'Comment' }),
        await sandbox.patch(`${company}/${linesOf(set)}(${one[linesOf(set)][0].id})`, '*', { quantity: 1 }),
      ];

      for (const reply of replies)
        expect(reply, set).toMatchObject(
          isShipment
            ? { status: 405, body: { error: { code: 'BadRequest_MethodNotAllowed' } } }
            : { status: 400, body: { error: { message: expect.stringContaining('has been posted') } } },
        );
      expect((await sandbox.get(path)).body.email).toBe(one.email);
    }
  });

  test('A.posted.3 Customers, the records of lines, and lines below their document are read', async () => {
    for (const set of sets) {
      const [one] = await sandbox.list(`${company}/${set}?$top=1&$expand=customer,${linesOf(set)}`);
      const below = await sandbox.get(`${company}/${set}(${one.id})/${linesOf(set)}`);

      expect(one.customer.number).toBe(one.customerNumber);
      expect(below.body.value.map(({ id }: Json) => id)).toEqual(one[linesOf(set)].map(({ id }: Json) => id));
    }
    const memos = await sandbox.list(
      `${company}/salesCreditMemos?$expand=salesCreditMemoLines($expand=item)`,
    );
    expect(memos.some((memo: Json) => memo.salesCreditMemoLines[0].item?.number)).toBe(true);
  });

  test('A.posted.4 What the service computes for each row is not filtered by', async () => {
    for (const [set, field] of [
      ['salesInvoices', 'remainingAmount'],
      ['customerFinancialDetails', 'balance'],
    ]) {
      const { status } = await sandbox.get(`${company}/${set}?$filter=${field} gt 5`);

      expect(status, field).toBe(dialect === 'dynamics' ? 400 : 200);
    }
  });

  test('A.posted.5 Balances and aged receivables follow from open invoices and credit memos', async () => {
    const all = await sandbox.list(
      `${company}/customers?$expand=customerFinancialDetail,agedAccountsReceivable`,
    );
    const open = await sandbox.list(`${company}/salesInvoices?$filter=status eq 'Open'`);
    const credits = await sandbox.list(`${company}/salesCreditMemos?$filter=status eq 'Open'`);
    const total = (rows: readonly Json[], field: string): number =>
      rows.reduce((sum, row) => sum + row[field], 0);
    const details = all.map(({ customerFinancialDetail }) => customerFinancialDetail);
    const aged = all.map(({ agedAccountsReceivable }) => agedAccountsReceivable);
    const owed = total(open, 'remainingAmount') - total(credits, 'totalAmountIncludingTax');

    expect(owed).toBeGreaterThan(0);
    expect(total(details, 'balance')).toBeCloseTo(owed, 2);
    for (const part of ['balanceDue', 'period3Amount']) expect(total(aged, part)).toBeCloseTo(owed, 2);
    for (const [index, customer] of all.entries()) {
      expect(details[index]).toMatchObject({ id: customer.id, number: customer.number });
      expect(aged[index]).toMatchObject({
        customerId: customer.id,
        name: customer.displayName,
        agedAsOfDate: new Date().toISOString().slice(0, 10),
      });
    }
  });
});

describe('seed', () => {
  test('A.posted.6 Every shipped order has a shipment of what was shipped, and an invoice of what was invoiced', async () => {
    const orders = await document.list(`${company}/salesOrders?$filter=fullyShipped eq true`);
    const shipments = await document.list(`${company}/salesShipments?$expand=salesShipmentLines`);
    const invoices = await document.list(`${company}/salesInvoices?$expand=salesInvoiceLines`);
    const units = (lines: readonly Json[], field: string) =>
      lines.map((line) => [line.lineNo, line[field]]).filter(([, quantity]) => quantity > 0);

    expect(orders.length).toBeGreaterThan(10);
    for (const order of orders) {
      const [shipment, ...others] = shipments.filter(({ orderNumber }) => orderNumber === order.number);
      const invoiced = invoices.filter(({ orderId }) => orderId === order.id);

      expect(others).toEqual([]);
      expect(units(shipment.salesShipmentLines, 'quantity')).toEqual(
        units(order.documentLines, 'shippedQuantity'),
      );
      expect(invoiced.flatMap(({ salesInvoiceLines }) => units(salesInvoiceLines, 'quantity'))).toEqual(
        units(order.documentLines, 'invoicedQuantity'),
      );
    }
  });

  test('A.posted.7 The documents of finished orders name orders that are gone, and numbers are unique', async () => {
    const orders = await document.list(`${company}/salesOrders`);
    const numbers = new Set(orders.map(({ number }) => number));
    for (const set of sets) {
      const all = await document.list(`${company}/${set}`);

      expect(new Set(all.map(({ number }) => number)).size, set).toBe(all.length);
      if (set === 'salesCreditMemos') continue;
      const gone = all.filter(({ orderNumber }) => orderNumber !== '' && !numbers.has(orderNumber));
      expect(gone.length, set).toBeGreaterThan(40);
    }
  });

  test('A.posted.8 A canceled invoice has a corrective credit memo of the same amount', async () => {
    const canceled = await document.list(`${company}/salesInvoices?$filter=status eq 'Canceled'`);
    const memos = await document.list(`${company}/salesCreditMemos?$filter=status eq 'Corrective'`);

    expect(memos.map((memo) => [memo.invoiceId, memo.totalAmountIncludingTax]).sort()).toEqual(
      canceled.map((invoice) => [invoice.id, invoice.totalAmountIncludingTax]).sort(),
    );
  });
});
