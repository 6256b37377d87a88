import { describe, expect, test } from 'vitest';
import { sandboxExamples } from '../../sandbox/seed/seed.ts';
import type { Json } from '../support/json.ts';
import { company, companyV1, useSandbox } from './caller.ts';

const sandbox = useSandbox();

const guid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const day = /^\d{4}-\d\d-\d\d$/;
const moment = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

const addresses = ['sellTo', 'billTo', 'shipTo'].flatMap((prefix) =>
  ['AddressLine1', 'AddressLine2', 'City', 'Country', 'State', 'PostCode'].map((part) => prefix + part),
);

/** Tables A1 to A5, then what the real service adds. */
const fields = {
  customers:
    'id number displayName type addressLine1 addressLine2 city state country postalCode phoneNumber email website taxLiable taxAreaId taxAreaDisplayName taxRegistrationNumber currencyId currencyCode paymentTermsId shipmentMethodId paymentMethodId blocked lastModifiedDateTime salespersonCode balanceDue creditLimit',
  items:
    'id number displayName type itemCategoryId itemCategoryCode blocked gtin inventory unitPrice priceIncludesTax unitCost taxGroupId taxGroupCode baseUnitOfMeasureId baseUnitOfMeasureCode lastModifiedDateTime displayName2 generalProductPostingGroupId generalProductPostingGroupCode inventoryPostingGroupId inventoryPostingGroupCode',
  salesOrders: `id number externalDocumentNumber orderDate postingDate requestedDeliveryDate customerId billToCustomerId customerNumber billToCustomerNumber customerName billToName shipToName ${addresses.join(' ')} shortcutDimension1Code shortcutDimension2Code currencyId currencyCode pricesIncludeTax paymentTermsId shipmentMethodId salesperson partialShipping discountAmount discountAppliedBeforeTax totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax fullyShipped status lastModifiedDateTime phoneNumber email documentLines shipToContact`,
  employees:
    'id number displayName givenName middleName surname jobTitle addressLine1 addressLine2 city state country postalCode phoneNumber mobilePhone email personalEmail employmentDate terminationDate birthDate status statisticsGroupCode lastModifiedDateTime bankBranchNumber bankAccountNumber iban',
} as const;

const lineFields =
  'id documentId lineNo lineType itemNo itemId accountId description description2 unitOfMeasureId unitOfMeasureCode quantity unitPrice discountAmount discountPercent discountAppliedBeforeTax amountExcludingTax taxCode taxPercent totalTaxAmount amountIncludingTax invoiceDiscountAllocation netAmount netTaxAmount netAmountIncludingTax shipmentDate shippedQuantity invoicedQuantity invoiceQuantity shipQuantity itemVariantId locationId';

const itemV1Fields =
  'id number displayName type blocked baseUnitOfMeasureId gtin inventory unitPrice priceIncludesTax unitCost taxGroupId taxGroupCode lastModifiedDateTime baseUnitOfMeasure itemCategory';

const companyFields =
  'id systemVersion timestamp name displayName businessProfileId systemCreatedAt systemCreatedBy systemModifiedAt systemModifiedBy';

function namesOf(record: Json): string[] {
  return Object.keys(record)
    .filter((name) => !name.startsWith('@'))
    .sort();
}

describe('shapes', () => {
  test.each(Object.entries(fields))(
    'A.fields.1 A record of %s has exactly its fields',
    async (set, names) => {
      const [record] = await sandbox.list(`${company}/${set}?$top=1`);
      const { body } = await sandbox.get(`${company}/${set}(${record.id})`);

      expect(namesOf(body)).toEqual(names.split(' ').sort());
      expect(namesOf(record)).toEqual(namesOf(body));
    },
  );

  test('A.fields.2 A line of an order has exactly its fields', async () => {
    const [order] = await sandbox.list(`${company}/salesOrders?$top=1`);

    expect(namesOf(order.documentLines[0])).toEqual(lineFields.split(' ').sort());
  });

  test('A.fields.3 A v1.0 item nests its unit and category and lacks their v2.0 fields', async () => {
    const [item] = await sandbox.list(`${company}/items?$filter=itemCategoryCode eq 'TABLE'&$top=1`);
    const { status, body } = await sandbox.get(`${companyV1}/items(${item.id})`);

    expect(status).toBe(200);
    expect(namesOf(body)).toEqual(itemV1Fields.split(' ').sort());
    expect(body.baseUnitOfMeasure).toEqual({
      unitCode: 'PCS',
      unitName: 'Piece',
      symbol: 'pc',
      unitConversion: null,
    });
    expect(body.itemCategory).toEqual({ categoryId: 'TABLE', description: 'Tables' });
    expect(body).toMatchObject({ number: item.number, unitPrice: item.unitPrice });
    expect(body['@odata.etag']).toBe(item['@odata.etag']);
  });

  test('A.fields.4 Some v1.0 items contain the conversion of their unit', async () => {
    const items = await sandbox.list(`${companyV1}/items`);
    const conversions = items
      .map((item) => item.baseUnitOfMeasure.unitConversion)
      .filter((one) => one !== null);

    expect(items).toHaveLength(120);
    expect(conversions.length).toBeGreaterThan(0);
    expect(conversions.length).toBeLessThan(60);
    for (const one of conversions) {
      expect(one).toEqual({ toUnitOfMeasure: 'PCS', fromToConversionRate: expect.any(Number) });
    }
  });

  test('A.fields.5 A company has exactly its fields and no entity tag', async () => {
    const [first] = await sandbox.list('/api/v2.0/companies');
    const { body } = await sandbox.get(`/api/v2.0/companies(${first.id})`);

    expect(namesOf(body)).toEqual(companyFields.split(' ').sort());
    expect(Number.isInteger(body.timestamp)).toBe(true);
    expect(first).not.toHaveProperty('@odata.etag');
    expect(body).not.toHaveProperty('@odata.etag');
  });

  test('A.fields.6 A collection has a context and a value, a record a context and a tag', async () => {
    const list = await sandbox.get(`${company}/employees?$top=1`);
    const single = await sandbox.get(`${company}/employees(${list.body.value[0].id})`);

    expect(Object.keys(list.body)).toEqual(['@odata.context', 'value']);
    expect(Object.keys(single.body).slice(0, 2)).toEqual(['@odata.context', '@odata.etag']);
    expect(single.body['@odata.context']).toMatch(/\$metadata#companies\(.*\)\/employees\/\$entity$/);
  });
});

describe('values', () => {
  test('A.values.1 Identifiers, dates and date-times have the documented formats', async () => {
    for (const set of Object.keys(fields)) {
      for (const record of await sandbox.list(`${company}/${set}`)) {
        for (const [name, value] of Object.entries(record)) {
          if (name === 'id' || name.endsWith('Id')) expect(value, `${set}.${name}`).toMatch(guid);
          if (name.endsWith('Date')) expect(value, `${set}.${name}`).toMatch(day);
          if (name.endsWith('DateTime')) expect(value, `${set}.${name}`).toMatch(moment);
          expect(value, `${set}.${name}`).not.toBeNull();
        }
      }
    }
  });

  test('A.values.2 An unset value is the all-zero GUID, 0001-01-01 or a single space', async () => {
    const local = await sandbox.list(`${company}/customers?$filter=currencyId eq null&$top=1`);
    const active = await sandbox.list(`${company}/employees?$filter=status eq 'Active'`);

    expect(local[0]).toMatchObject({
      currencyId: '00000000-0000-0000-0000-000000000000',
      currencyCode: 'USD',
    });
    expect(active.every((one) => one.terminationDate === '0001-01-01')).toBe(true);
    expect(new Set((await sandbox.list(`${company}/customers`)).map((one) => one.blocked))).toEqual(
      new Set([' ', 'Ship', 'Invoice', 'All']),
    );
  });

  test('A.values.3 An entity tag is stable across reads and different for every record', async () => {
    const first = await sandbox.list(`${company}/customers?$select=number`);
    const second = await sandbox.list(`${company}/customers?$select=number`);
    const tags = first.map((one) => one['@odata.etag']);

    expect(second.map((one) => one['@odata.etag'])).toEqual(tags);
    expect(new Set(tags).size).toBe(300);
    for (const tag of tags) {
      const [, base64 = ''] = /^W\/"(.+)"$/.exec(tag) ?? [];
      expect(Buffer.from(base64, 'base64').toString()).toMatch(/^'19;\d{19};00;'$/);
    }
  });
});

describe('seed', () => {
  test('S.seed.1 There are two companies with the documented records', async () => {
    const companies = await sandbox.list('/api/v2.0/companies');
    const sizes = await Promise.all(
      companies.map(async ({ id }) =>
        Promise.all(
          ['customers', 'items', 'salesOrders', 'employees'].map(
            async (set) => (await sandbox.list(`/api/v2.0/companies(${id})/${set}?$select=id`)).length,
          ),
        ),
      ),
    );

    expect(sizes).toEqual([
      [300, 120, 240, 40],
      [100, 40, 80, 13],
    ]);
  });

  test('S.seed.2 Orders refer to existing customers and items, and their totals are those of their lines', async () => {
    const ids = async (set: string) =>
      new Set((await sandbox.list(`${company}/${set}?$select=id`)).map((one) => one.id));
    const [customers, items] = [await ids('customers'), await ids('items')];

    for (const order of await sandbox.list(`${company}/salesOrders`)) {
      const lines: Json[] = order.documentLines;
      const total = (name: string) => lines.reduce((sum, line) => sum + line[name], 0);
      expect(customers.has(order.customerId) && customers.has(order.billToCustomerId)).toBe(true);
      expect(lines.length).toBeGreaterThanOrEqual(1);
      expect(lines.length).toBeLessThanOrEqual(5);
      expect(lines.map((line) => line.lineNo)).toEqual(lines.map((_, index) => (index + 1) * 10_000));
      expect(lines.every((line) => line.lineType !== 'Item' || items.has(line.itemId))).toBe(true);
      expect(order.totalAmountExcludingTax).toBeCloseTo(total('netAmount'), 2);
      expect(order.totalTaxAmount).toBeCloseTo(total('netTaxAmount'), 2);
      expect(order.totalAmountIncludingTax).toBeCloseTo(total('netAmountIncludingTax'), 2);
      expect(total('amountExcludingTax') - order.discountAmount).toBeCloseTo(
        order.totalAmountExcludingTax,
        2,
      );
    }
  });

  test('S.seed.3 Every known state and kind occurs', async () => {
    const valuesOf = async (set: string, field: string) =>
      [
        ...new Set((await sandbox.list(`${company}/${set}?$select=${field}`)).map((one) => one[field])),
      ].sort();

    expect(await valuesOf('customers', 'type')).toEqual(['Company', 'Person']);
    expect(await valuesOf('items', 'type')).toEqual(['Inventory', 'Non-Inventory', 'Service']);
    expect(await valuesOf('items', 'blocked')).toEqual([false, true]);
    expect(await valuesOf('salesOrders', 'status')).toEqual(['Draft', 'In Review', 'Open']);
    expect(await valuesOf('employees', 'status')).toEqual(['Active', 'Inactive', 'Terminated']);
  });

  test('S.seed.4 Terminated employees have a termination date, and some names require quoting and encoding', async () => {
    const terminated = await sandbox.list(`${company}/employees?$filter=status eq 'Terminated'`);
    const names = (await sandbox.list(`${company}/customers?$select=displayName`)).map(
      (one) => one.displayName,
    );

    expect(terminated.every((one) => one.terminationDate > '2000')).toBe(true);
    expect(names.some((name) => name.includes("'"))).toBe(true);
    expect(names.some((name) => /\P{ASCII}/u.test(name))).toBe(true);
  });

  test('S.seed.5 The records used as examples exist', async () => {
    const { customerId, itemId } = sandboxExamples;

    expect((await sandbox.get(`${company}/customers(${customerId})`)).status).toBe(200);
    expect((await sandbox.get(`${company}/items(${itemId})`)).status).toBe(200);
  });
});
