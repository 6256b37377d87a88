import { describe, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { recordsIn } from '../../support/cases/every-input.ts';
import { startTestLayer, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const inDocument = testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' });
const dialects = [
  ['document', inDocument],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const;

const { itemId } = sandboxExamples;
const nobody = '00c0ffee-0000-4000-8000-000000000009';

type Values = Readonly<Record<string, unknown>>;

const set = `/api/v2.0/companies(${sandboxCompanyId})/salesQuotes`;

async function create(layer: TestLayer, fields: string, input: Values) {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateSalesQuoteInput!) { createSalesQuote(input: $input) {
      salesQuote { ${fields} } userErrors { code message path upstream { code message } }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.createSalesQuote;
}

/** A customer who pays sales tax in the home currency. */
async function aCustomer(sandbox: TestSandbox) {
  const customers = await recordsIn(sandbox, 'customers');
  const found = customers.find(({ taxLiable, currencyCode }) => taxLiable === true && currencyCode === 'USD');
  return found as { id: string; number: string; displayName: string; city: string };
}

const countOf = async (sandbox: TestSandbox) => (await recordsIn(sandbox, 'salesQuotes')).length;
const methodsOf = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

describe.each(dialects)('in the dialect %s', (dialect, test) => {
  test('the documented example, a customer by id and lines of items by id with quantities, creates a quote in one upstream call', async ({
    layer,
    sandbox,
  }) => {
    const customer = await aCustomer(sandbox);
    const [first, second] = await recordsIn(sandbox, 'items');
    const input = {
      customerId: customer.id,
      salesQuoteLines: [
        { itemId: first?.id, quantity: 3 },
        { itemId: second?.id, quantity: '0.50' },
      ],
    };

    const { salesQuote, userErrors } = await create(
      layer,
      'id number status customerNumber customerName sellToCity',
      input,
    );

    expect(userErrors).toEqual([]);
    expect(salesQuote).toMatchObject({
      status: 'Draft',
      number: expect.stringMatching(/^S-QUO/),
      customerNumber: customer.number,
      customerName: customer.displayName,
      sellToCity: customer.city,
    });
    const [post, ...others] = await sandbox.calls();
    expect(others).toEqual([]);
    expect(post).toMatchObject({ method: 'POST', path: set });
    expect(post?.body.replace(/"id":"[^"]+",/, '')).toBe(
      `{"customerId":"${customer.id}","salesQuoteLines":[{"itemId":"${first?.id}","quantity":3},{"itemId":"${second?.id}","quantity":0.50}]}`,
    );
  });

  test('the lines of a new quote are in its payload, with the amounts that the upstream calculated', async ({
    layer,
    sandbox,
  }) => {
    const { number: customerNumber } = await aCustomer(sandbox);
    const fields = `id discountAmount totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax dueDate documentDate
      salesQuoteLines { lineType lineNo itemNo quantity unitPrice discountAmount amountExcludingTax totalTaxAmount item { number } account { number } }`;
    const [account] = (await recordsIn(sandbox, 'accounts')).filter(({ number }) => number === '4090');
    const [item] = (await recordsIn(sandbox, 'items')).filter(({ number }) => number === '1004');

    const { salesQuote, userErrors } = await create(layer, fields, {
      customerNumber,
      documentDate: '2026-03-01',
      discountAmount: '10',
      salesQuoteLines: [
        {
          itemId: item?.id,
          quantity: '4',
          unitPrice: '25',
          taxCode: 'FURNITURE',
          discountPercent: '10',
        },
        { accountId: account?.id, quantity: '1', unitPrice: '10' },
        { lineType: 'Comment', description: 'Please call before delivery' },
      ],
    });
    const calls = await methodsOf(sandbox);
    const read = await layer.query(
      `query ($id: UUID!) { company { salesQuote(id: $id) { ${fields} } } }`,
      salesQuote,
    );

    expect(userErrors).toEqual([]);
    expect(salesQuote).toMatchObject({
      documentDate: '2026-03-01',
      discountAmount: '10',
      totalAmountExcludingTax: '90',
      totalTaxAmount: '4.86',
      totalAmountIncludingTax: '94.86',
      salesQuoteLines: [
        {
          lineType: 'Item',
          lineNo: 10_000,
          quantity: '4',
          discountAmount: '10',
          amountExcludingTax: '90',
          item: { number: '1004' },
        },
        {
          lineType: 'Account',
          lineNo: 20_000,
          amountExcludingTax: '10',
          item: null,
          account: { number: '4090' },
        },
        { lineType: 'Comment', lineNo: 30_000, amountExcludingTax: '0' },
      ],
    });
    expect(read.data.company.salesQuote).toEqual(salesQuote);
    // The real service brings lines and accounts along, and items are loaded after it; elsewhere the quote is read with both.
    expect(calls).toEqual(['POST', 'GET']);
  });

  test.for([
    ['an item of the other id', 'REFUSED', { itemId: nobody }],
    ['a resource that is not there', 'REFUSED', { lineType: 'Resource', itemNo: 'NO-SUCH' }],
    ['a tax group that is not there', 'INVALID_INPUT', { itemId, taxCode: 'NO-SUCH' }],
  ] as const)(
    'with one line with %s: %s, and nothing of the quote is created',
    async ([_what, code, bad], { layer, sandbox }) => {
      const before = await countOf(sandbox);

      const { salesQuote, userErrors } = await create(layer, 'id', {
        id: '00c0ffee-0000-4000-8000-000000000001',
        customerNumber: 'C10000',
        salesQuoteLines: [{ itemId, quantity: '1' }, bad],
      });

      expect(salesQuote).toBeNull();
      expect(userErrors).toMatchObject([
        { code, path: null, upstream: { message: expect.stringMatching(/\w/) } },
      ]);
      expect(await countOf(sandbox)).toBe(before);
      expect(await methodsOf(sandbox)).toEqual(['POST']);
    },
  );

  test('lines that name items by number are sent as this dialect names them, and a number that no item has is refused', async ({
    layer,
    sandbox,
  }) => {
    const items = await recordsIn(sandbox, 'items');
    const [first, second] = items.map(({ id, number }) => ({ id, number: String(number) }));
    const quoteOf = (...numbers: unknown[]) => ({
      customerNumber: 'C10000',
      salesQuoteLines: numbers.map((number) => ({ lineType: 'Item', itemNo: number, quantity: '1' })),
    });

    const made = await create(layer, 'id', quoteOf(first?.number, second?.number, first?.number));
    const calls = await sandbox.calls();
    await sandbox.forgetCalls();
    const refused = await create(layer, 'id', quoteOf(first?.number, 'NO-SUCH'));

    expect(made.userErrors).toEqual([]);
    const sent = JSON.parse(calls.at(-1)?.body ?? '').salesQuoteLines.map(
      ({ quantity: _, ...line }: Values) => line,
    );
    if (dialect === 'document') {
      expect(calls.map(({ method }) => method)).toEqual(['GET', 'POST']);
      expect(sent).toEqual([first, second, first].map((item) => ({ itemId: item?.id })));
      expect(refused.userErrors).toMatchObject([
        {
          code: 'INVALID_INPUT',
          path: ['input', 'salesQuoteLines', '1', 'itemNo'],
          upstream: null,
        },
      ]);
      expect(await methodsOf(sandbox)).toEqual(['GET']);
    } else {
      expect(calls.map(({ method }) => method)).toEqual(['POST']);
      expect(sent[0]).toEqual({ lineType: 'Item', lineObjectNumber: first?.number });
      expect(refused.userErrors).toMatchObject([{ code: 'REFUSED', path: null }]);
      expect(await methodsOf(sandbox)).toEqual(['POST']);
    }
  });

  test('the digits of every number of a quote are sent unchanged', async ({ layer, sandbox }) => {
    const { salesQuote } = await create(layer, 'id salesQuoteLines { quantity unitPrice }', {
      customerNumber: 'C10000',
      discountAmount: '0.10',
      salesQuoteLines: [{ itemId, quantity: '1.50', unitPrice: '1234567890123456.789' }],
    });

    expect(salesQuote.salesQuoteLines).toEqual([{ quantity: '1.5', unitPrice: '1234567890123456.789' }]);
    const body = (await sandbox.calls())[0]?.body;
    expect(body).toContain('"discountAmount":0.10');
    expect(body).toContain('"quantity":1.50,"unitPrice":1234567890123456.789');
  });
});

inDocument.for([
  ['a quantity that is cleared', { quantity: null }, 'quantity'],
  ['a line number that is cleared', { lineNo: null }, 'lineNo'],
] as const)(
  'a quote with %s is INVALID_INPUT with the path to it, and nothing is sent',
  async ([_what, line, name], { layer, sandbox }) => {
    const { userErrors } = await create(layer, 'id', {
      customerNumber: 'C10000',
      salesQuoteLines: [{ itemId }, { itemId, ...line }],
    });

    expect(userErrors).toMatchObject([
      { code: 'INVALID_INPUT', path: ['input', 'salesQuoteLines', '1', name] },
    ]);
    expect(await sandbox.calls()).toEqual([]);
  },
);

inDocument('a quote whose response is lost is verified by its id, and created once', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url);
  const before = await countOf(sandbox);
  const input = {
    customerNumber: 'C10000',
    salesQuoteLines: [{ lineType: 'Item', itemNo: '1004', quantity: '2' }],
  };
  await create(layer, 'id', input);
  await sandbox.fault({ method: 'POST', reset: 'after' });
  const found = await create(layer, 'id salesQuoteLines { quantity }', input);
  await sandbox.fault({ method: 'POST', reset: 'before' });
  const sentAgain = await create(layer, 'id salesQuoteLines { quantity }', input);
  await layer.stop();

  for (const { salesQuote, userErrors } of [found, sentAgain]) {
    expect(userErrors).toEqual([]);
    expect(salesQuote.salesQuoteLines).toEqual([{ quantity: '2' }]);
  }
  expect(await countOf(sandbox)).toBe(before + 3);
});

inDocument(
  'a quote whose response is lost is OUTCOME_UNKNOWN, and sent once, while ids are not proven to be kept',
  async ({ sandbox }) => {
    const layer = await startTestLayer(sandbox.url);
    await sandbox.fault({ method: 'POST', reset: 'before' });

    const { salesQuote, userErrors } = await create(layer, 'id', { customerNumber: 'C10000' });
    await layer.stop();

    expect(salesQuote).toBeNull();
    expect(userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
    expect(await methodsOf(sandbox)).toEqual(['POST', 'GET']);
  },
);
