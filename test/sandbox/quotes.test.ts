import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { company, useSandbox } from './caller.ts';

const document = useSandbox();
const dynamics = useSandbox({ dialect: 'dynamics' });
const quotes = `${company}/salesQuotes`;

const addresses = ['sellTo', 'billTo', 'shipTo'].flatMap((prefix) =>
  ['AddressLine1', 'AddressLine2', 'City', 'Country', 'State', 'PostCode'].map((part) => prefix + part),
);

const fields = `id number externalDocumentNumber documentDate postingDate dueDate customerId customerNumber customerName billToName billToCustomerId billToCustomerNumber shipToName shipToContact ${addresses.join(' ')} currencyId currencyCode shortcutDimension1Code shortcutDimension2Code paymentTermsId shipmentMethodId salesperson discountAmount totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax status sentDate validUntilDate acceptedDate phoneNumber email lastModifiedDateTime`;

const lineFields =
  'id documentId lineType itemId accountId description description2 unitOfMeasureId unitOfMeasureCode quantity unitPrice discountAmount discountPercent discountAppliedBeforeTax amountExcludingTax taxCode taxPercent totalTaxAmount amountIncludingTax netAmount netTaxAmount netAmountIncludingTax itemVariantId locationId';

const namesOf = (record: Json) =>
  Object.keys(record)
    .filter((name) => !name.startsWith('@'))
    .sort();

describe.each([
  ['document', document, 'lineNo itemNo'],
  ['dynamics', dynamics, 'sequence lineObjectNumber'],
] as const)('sales quotes of %s', (_dialect, sandbox, ownNames) => {
  test('A.quote.1 A quote has exactly its fields, and its lines only when they are expanded', async () => {
    const [quote] = await sandbox.list(`${quotes}?$top=1`);
    const { body } = await sandbox.get(`${quotes}(${quote.id})?$expand=salesQuoteLines`);
    const { salesQuoteLines: lines, ...header } = body;

    expect(namesOf(quote)).toEqual(fields.split(' ').sort());
    expect(namesOf(header)).toEqual(namesOf(quote));
    expect(namesOf(lines[0])).toEqual(`${lineFields} ${ownNames}`.split(' ').sort());
    expect(lines[0]['@odata.etag']).toMatch(/^W\//);
  });

  test('A.quote.2 Customer, currency, terms, shipment method and the records of lines expand', async () => {
    const expand = 'customer,currency,paymentTerm,shipmentMethod';
    const ofLines = 'salesQuoteLines($expand=item($expand=itemCategory),account,unitOfMeasure,salesQuote)';
    const all = await sandbox.list(`${quotes}?$expand=${expand},${ofLines}`);
    const lines: Json[] = all.flatMap((quote) => quote.salesQuoteLines);

    for (const quote of all) {
      expect(quote.customer.number).toBe(quote.customerNumber);
      expect(quote.paymentTerm.id).toBe(quote.paymentTermsId);
      expect(quote.currency?.code ?? 'USD').toBe(quote.currencyCode);
    }
    expect(all.some((quote) => quote.currency) && all.some((quote) => quote.shipmentMethod)).toBe(true);
    expect(lines.some((line) => line.item?.itemCategory?.code)).toBe(true);
    expect(lines.some((line) => line.account && line.item === null)).toBe(true);
    expect(lines.some((line) => line.lineType === 'Comment')).toBe(true);
    expect(lines.every((line) => line.salesQuote.id === line.documentId)).toBe(true);
  });

  test('A.quote.3 Quotes are changed as orders are', async () => {
    const [quote] = await sandbox.list(`${quotes}?$top=1`);
    const path = `${quotes}(${quote.id})`;
    const untagged = await sandbox.patch(path, '', { email: 'a@b.example' });
    const changed = await sandbox.patch(path, quote['@odata.etag'], { validUntilDate: '2026-05-01' });

    expect(untagged.status).toBeGreaterThanOrEqual(400);
    expect(changed).toMatchObject({ status: 200, body: { validUntilDate: '2026-05-01' } });
    expect((await sandbox.get(path)).body.email).toBe(quote.email);
  });

  test('A.quote.4 Quotes are filtered and sorted by their own fields', async () => {
    const query = '$filter=validUntilDate gt 2025-02-01 and sentDate lt 2025-03-01T00:00:00Z';
    const found = await sandbox.list(`${quotes}?${query}&$orderby=dueDate desc`);

    expect(found.length).toBeGreaterThan(0);
    expect(found.every((one) => one.validUntilDate > '2025-02-01' && one.sentDate < '2025-03-01')).toBe(true);
    expect(found.map((one) => one.dueDate)).toEqual(
      found
        .map((one) => one.dueDate)
        .sort()
        .reverse(),
    );
  });
});

describe('seed', () => {
  test('A.quote.5 There are 60 and 20 quotes, of every status', async () => {
    const [, other] = await document.list('/api/v2.0/companies');
    const all = await document.list(quotes);

    expect(all).toHaveLength(60);
    expect(await document.list(`/api/v2.0/companies(${other.id})/salesQuotes`)).toHaveLength(20);
    expect(new Set(all.map((one) => one.status))).toEqual(new Set(['Draft', 'Sent', 'Accepted', 'Expired ']));
  });

  test('A.quote.6 A date not yet reached is unset', async () => {
    const all = await document.list(quotes);
    const sent = (one: Json) => !one.sentDate.startsWith('0001');
    const accepted = (one: Json) => one.acceptedDate !== '0001-01-01';

    expect(all.filter(sent).map((one) => one.status)).not.toContain('Draft');
    expect(new Set(all.filter(accepted).map((one) => one.status))).toEqual(new Set(['Accepted']));
    expect(all.some((one) => sent(one) && one.validUntilDate === '0001-01-01')).toBe(true);
    expect(all.some((one) => one.validUntilDate !== '0001-01-01')).toBe(true);
  });

  test('A.quote.7 The totals of a quote are those of its lines', async () => {
    for (const quote of await document.list(`${quotes}?$expand=salesQuoteLines`)) {
      const total = (name: string) =>
        quote.salesQuoteLines.reduce((sum: number, line: Json) => sum + line[name], 0);

      expect(quote.totalAmountExcludingTax).toBeCloseTo(total('netAmount'), 2);
      expect(quote.totalAmountIncludingTax).toBeCloseTo(total('netAmountIncludingTax'), 2);
    }
  });
});
