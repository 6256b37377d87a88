import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const test = testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' });

/** As the real service writes an invoice with a line. */
const realInvoice = {
  '@odata.etag': 'W/"JzE5OzQzMDQzOTYxMjA4OTAyNDMxOTUxOzAwOyc="',
  id: '748010cf-1265-ef11-a673-6045bde80bc6',
  number: '103219',
  invoiceDate: '2024-04-02',
  promisedPayDate: '0001-01-01',
  customerPurchaseOrderReference: 'OPEN',
  currencyId: '00000000-0000-0000-0000-000000000000',
  currencyCode: 'USD',
  orderId: '3ee2d404-b4d3-ee11-904f-6045bde9c6f5',
  orderNumber: '101001',
  disputeStatusId: '00000000-0000-0000-0000-000000000000',
  disputeStatus: '',
  remainingAmount: 944400,
  status: 'In_x0020_Review',
  salesInvoiceLines: [
    {
      '@odata.etag': 'W/"JzE5OzYyNzAxMjg1MjU0NzYzMjY5NTExOzAwOyc="',
      id: '6ef7bd1f-b4d3-ee11-904f-6045bde9c6f5',
      sequence: 10000,
      accountId: '00000000-0000-0000-0000-000000000000',
      account: null,
      item: null,
      lineType: 'Fixed_x0020_Asset',
      lineObjectNumber: '1996-S',
      quantity: 12,
      unitPrice: 62960,
      invoiceDiscountAllocation: 0,
      shipmentDate: '2024-04-02',
    },
  ],
};

test('an invoice is read as the real service writes it', async ({ layer, sandbox }) => {
  await sandbox.fault({ path: '/salesInvoices', status: 200, body: { value: [realInvoice] } });

  const { data, errors } = await layer.query(
    `{ company { salesInvoices { nodes {
      id etag number invoiceDate promisedPayDate customerPurchaseOrderReference currencyId currencyCode
      orderId orderNumber disputeStatusId disputeStatus remainingAmount status
      salesInvoiceLines {
        etag lineNo accountId account { id } lineType itemNo item { id } quantity unitPrice
        invoiceDiscountAllocation shipmentDate currencyCode
      }
    } } } }`,
  );

  expect(errors).toBeUndefined();
  const { '@odata.etag': etag, salesInvoiceLines, ...invoice } = realInvoice;
  expect(data.company.salesInvoices.nodes).toEqual([
    {
      ...invoice,
      etag,
      promisedPayDate: null,
      currencyId: null,
      disputeStatusId: null,
      disputeStatus: null,
      remainingAmount: '944400',
      status: 'In Review',
      salesInvoiceLines: [
        {
          etag: salesInvoiceLines[0]?.['@odata.etag'],
          lineNo: 10000,
          accountId: null,
          account: null,
          lineType: 'Fixed Asset',
          itemNo: '1996-S',
          item: null,
          quantity: '12',
          unitPrice: '62960',
          invoiceDiscountAllocation: '0',
          shipmentDate: '2024-04-02',
          currencyCode: 'USD',
        },
      ],
    },
  ]);
  expect(await sandbox.calls()).toHaveLength(1);
});
