import { describe, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed.ts';
import { derivedGuid } from '../../../sandbox/seeded.ts';
import { recordsIn, type Values } from '../../support/cases/every-input.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const dialects = [
  [
    'document',
    testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' }),
    'documentLines',
    'itemNo',
  ],
  [
    'dynamics',
    testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' }),
    'salesOrderLines',
    'lineObjectNumber',
  ],
] as const;

const { itemId } = sandboxExamples;
const nobody = '00c0ffee-0000-4000-8000-000000000009';
const accountId = derivedGuid(`${sandboxCompanyId}:accounts:4090`);
const customer = { customerNumber: 'C10000' };

const create = (layer: TestLayer, input: Values) =>
  layer.query(
    `mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) {
      salesOrder { customerId documentLines { lineType description } } userErrors { code message path }
    } }`,
    { input },
  );

const bodyOf = async (sandbox: TestSandbox): Promise<Values & Record<string, readonly Values[]>> =>
  JSON.parse((await sandbox.calls()).find(({ method }) => method === 'POST')?.body ?? 'null');

describe.each(dialects)('in the dialect %s', (_dialect, test, linesName, numberName) => {
  test.for([
    [{ itemId }, _dialect === 'document' ? { lineType: 'Item', itemNo: '1000' } : { itemId }],
    [
      { lineType: 'Item', itemNo: '1004' },
      { lineType: 'Item', [numberName]: '1004' },
    ],
    [{ accountId }, _dialect === 'document' ? { lineType: 'Account', itemNo: '4090' } : { accountId }],
    [
      { lineType: 'Service Plan', itemNo: 'P-1' },
      { lineType: 'Service Plan', [numberName]: 'P-1' },
    ],
  ] as const)('the line %j is sent with its columns', async ([line, sent], { layer, sandbox }) => {
    await create(layer, { ...customer, documentLines: [{ ...line, quantity: 2 }] });

    const { customerNumber, [linesName]: lines } = await bodyOf(sandbox);
    const encoded = (word: unknown) =>
      typeof word === 'string' && _dialect === 'dynamics' ? word.replace(' ', '_x0020_') : word;
    expect(customerNumber).toBe('C10000');
    expect(lines).toEqual([
      { ...sent, ...('lineType' in sent && { lineType: encoded(sent.lineType) }), quantity: 2 },
    ]);
  });

  test('of several orders, one whose line names an item by an id that none has does not keep the others', async ({
    layer,
    sandbox,
  }) => {
    const entries = [itemId, nobody].map((id) => ({
      createSalesOrder: { ...customer, documentLines: [{ itemId: id }] },
    }));

    const { data, errors } = await layer.query(
      `mutation ($entries: [BatchEntryInput!]!) { batch(input: { entries: $entries }) {
        results { record { nodeId } userErrors { code path } }
      } }`,
      { entries },
    );

    expect(errors).toBeUndefined();
    const path = ['input', 'entries', '1', 'createSalesOrder', 'documentLines', '0', 'itemId'];
    expect(data.batch.results).toMatchObject([
      { record: { nodeId: expect.any(String) }, userErrors: [] },
      {
        record: null,
        userErrors: [
          _dialect === 'document' ? { code: 'INVALID_INPUT', path } : { code: 'REFUSED', path: null },
        ],
      },
    ]);
    const methods = (await sandbox.calls()).map(({ method }) => method);
    expect(methods).toEqual(_dialect === 'document' ? ['GET', 'POST'] : ['POST']);
  });

  test.for([
    ['no customer', {}, 'Give `customerId` or `customerNumber`.', []],
    [
      'a line whose item is named twice',
      { ...customer, documentLines: [{ lineType: 'Item', itemId, itemNo: '1000' }] },
      'Give `itemId` or `itemNo`, not both.',
      ['documentLines', '0', 'itemNo'],
    ],
  ] as const)(
    '%s is INVALID_INPUT, and nothing is sent',
    async ([, input, message, path], { layer, sandbox }) => {
      const { data, errors } = await create(layer, input);

      expect(errors).toBeUndefined();
      expect(data.createSalesOrder.userErrors).toEqual([
        { code: 'INVALID_INPUT', message, path: ['input', ...path] },
      ]);
      expect(await sandbox.calls()).toEqual([]);
    },
  );
});

async function createQuote(layer: TestLayer, input: Values) {
  const { data, errors } = await layer.query(
    `mutation ($input: CreateSalesQuoteInput!) { createSalesQuote(input: $input) {
      salesQuote { id } userErrors { code message path upstream { code message } }
    } }`,
    { input },
  );
  expect(errors).toBeUndefined();
  return data.createSalesQuote;
}
const methodsOf = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

describe.each(dialects)('a quote in the dialect %s', (dialect, test) => {
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

    const made = await createQuote(layer, quoteOf(first?.number, second?.number, first?.number));
    const calls = await sandbox.calls();
    await sandbox.forgetCalls();
    const refused = await createQuote(layer, quoteOf(first?.number, 'NO-SUCH'));

    expect(made.userErrors).toEqual([]);
    const sent = JSON.parse(calls.at(-1)?.body ?? '').salesQuoteLines.map(
      ({ quantity: _, ...line }: Values) => line,
    );
    if (dialect === 'document') {
      expect(calls.map(({ method }) => method)).toEqual(['GET', 'POST']);
      expect(sent).toEqual([first, second, first].map((item) => ({ itemId: item?.id })));
      expect(refused.userErrors).toMatchObject([
        { code: 'INVALID_INPUT', path: ['input', 'salesQuoteLines', '1', 'itemNo'], upstream: null },
      ]);
      expect(await methodsOf(sandbox)).toEqual(['GET']);
    } else {
      expect(calls.map(({ method }) => method)).toEqual(['POST']);
      expect(sent[0]).toEqual({ lineType: 'Item', lineObjectNumber: first?.number });
      expect(refused.userErrors).toMatchObject([{ code: 'REFUSED', path: null }]);
      expect(await methodsOf(sandbox)).toEqual(['POST']);
    }
  });
});
