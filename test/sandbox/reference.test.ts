import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });

const coded = 'id code displayName lastModifiedDateTime';

/** Each set with the fields of its records. */
const sets = {
  paymentTerms: `${coded} dueDateCalculation discountDateCalculation discountPercent calculateDiscountOnCreditMemos`,
  itemCategories: coded,
  unitsOfMeasure: `${coded} internationalStandardCode symbol`,
  currencies: `${coded} symbol amountDecimalPlaces amountRoundingPrecision`,
  shipmentMethods: coded,
  paymentMethods: coded,
  taxAreas: `${coded} taxType`,
  taxGroups: `${coded} taxType`,
  locations: `${coded} contact addressLine1 addressLine2 city state country postalCode phoneNumber email website`,
  itemVariants: 'id itemId itemNumber code description lastModifiedDateTime',
  salespeoplePurchasers: `${coded} email email2 phoneNo jobTitle commisionPercent privacyBlocked blocked`,
  countriesRegions: `${coded} addressFormat`,
  accounts:
    'id number displayName category subCategory blocked accountType directPosting netChange consolidationTranslationMethod consolidationDebitAccount consolidationCreditAccount excludeFromConsolidation lastModifiedDateTime',
} as const;

const namesOf = (record: Json) =>
  Object.keys(record)
    .filter((name) => !name.startsWith('@'))
    .sort();

describe.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)('reference records of %s', (_dialect, sandbox) => {
  test.each(Object.entries(sets))(
    'A.reference.1 %s are listed, read by id and counted',
    async (set, fields) => {
      const records = await sandbox.list(`${company}/${set}`);
      const [first] = records;
      const { status, body } = await sandbox.get(`${company}/${set}(${first.id})`);

      expect(status).toBe(200);
      expect(body).toMatchObject(first);
      expect(namesOf(body)).toEqual(fields.split(' ').sort());
      expect(first['@odata.etag']).toMatch(/^W\//);
      expect(await sandbox.count(`${company}/${set}`)).toBe(records.length);
    },
  );

  test.each(Object.keys(sets))('A.reference.2 %s cannot be written', async (set) => {
    const [first] = await sandbox.list(`${company}/${set}?$top=1`);
    const one = `${company}/${set}(${first.id})`;
    const answers = [
      await sandbox.post(`${company}/${set}`, { code: 'NEW' }),
      await sandbox.patch(one, '*', { displayName: 'X' }),
      await sandbox.send('DELETE', one),
    ];

    for (const answer of answers) {
      expect(answer).toMatchObject({ status: 405, body: { error: { code: 'BadRequest_MethodNotAllowed' } } });
      expect(answer.headers.get('allow')).toBe('GET');
    }
    expect((await sandbox.get(one)).body).toMatchObject(first);
  });

  test('A.reference.3 They can be filtered, sorted and selected from as other sets', async () => {
    const query = "$filter=code ne 'COD'&$orderby=code desc&$select=code&$count=true";
    const { body } = await sandbox.get(`${company}/paymentTerms?${query}`);

    expect(body['@odata.count']).toBe(4);
    expect(body.value.map((one: Json) => one.code)).toEqual(['CM', '30D', '2/10', '14D']);
  });

  test('A.reference.4 Records refer to them by id', async () => {
    for (const [set, field, target] of [
      ['customers', 'paymentTermsId', 'paymentTerms'],
      ['customers', 'taxAreaId', 'taxAreas'],
      ['items', 'baseUnitOfMeasureId', 'unitsOfMeasure'],
      ['items', 'taxGroupId', 'taxGroups'],
      ['itemVariants', 'itemId', 'items'],
    ]) {
      const [record] = await sandbox.list(`${company}/${set}?$top=1`);

      expect((await sandbox.get(`${company}/${target}(${record[`${field}`]})`)).status, field).toBe(200);
    }
  });

  test('A.reference.5 Each company has its own', async () => {
    const [, other] = await sandbox.list('/api/v2.0/companies');
    const [terms] = await sandbox.list(`${company}/paymentTerms?$top=1`);

    expect((await sandbox.get(`/api/v2.0/companies(${other.id})/paymentTerms(${terms.id})`)).status).toBe(
      404,
    );
  });
});

test('A.reference.6 Accounts of every kind and category exist, one of them blocked', async () => {
  const accounts = await document.list(`${company}/accounts`);
  const valuesOf = (field: string) => [...new Set(accounts.map((one) => one[field]))].sort();

  expect(valuesOf('accountType')).toEqual(['Begin-Total', 'End-Total', 'Heading', 'Posting', 'Total']);
  expect(valuesOf('category')).toEqual([
    ' ',
    'Assets',
    'Cost of Goods Sold',
    'Equity',
    'Expense',
    'Income',
    'Liabilities',
  ]);
  expect(valuesOf('blocked')).toEqual([false, true]);
});

test('A.reference.7 Posting groups have no URL', async () => {
  expect((await document.get(`${company}/inventoryPostingGroups`)).status).toBe(404);
});

test.each([
  ['document', document],
  ['dynamics', dynamics],
] as const)(
  'A.reference.8 companyInformation of a company is a list of one record, which can be changed (%s)',
  async (_dialect, sandbox) => {
    const address = `${company}/companyInformation`;
    const records = await sandbox.list(address);
    const [{ id, '@odata.etag': etag }] = records;
    const one = `${address}(${id})`;

    expect(records).toMatchObject([{ displayName: expect.any(String), currencyCode: 'USD', country: 'US' }]);
    expect((await sandbox.get(one)).body).toMatchObject(records[0]);
    expect((await sandbox.patch(one, etag, { faxNumber: '+1 555 0199' })).body.faxNumber).toBe('+1 555 0199');
    expect((await sandbox.patch(one, '*', { currencyCode: 'EUR' })).status).toBe(400);
    expect((await sandbox.post(address, { displayName: 'Second' })).status).toBe(405);
  },
);
