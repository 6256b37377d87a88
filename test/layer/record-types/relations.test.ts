import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { recordFiles } from '../../support/cases/record-kinds.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const test = testWith({}, { RECORD_TYPES: recordFiles });

const { itemId } = sandboxExamples;

async function read(layer: TestLayer, sandbox: TestSandbox, query: string) {
  await sandbox.forgetCalls();
  const data = await layer.read(query);
  return { company: data.company, calls: await sandbox.calls() };
}

test('rows, their items and what belongs to those come in one call, as from types of the product', async ({
  layer,
  sandbox,
}) => {
  const item = 'quantity item { displayName unitPrice category { displayName } }';

  const offers = await read(
    layer,
    sandbox,
    `{ company { offers(first: 10) { nodes { number buyer { displayName currency { code } } lines { ${item} } } } } }`,
  );
  const quotes = await read(
    layer,
    sandbox,
    `{ company { salesQuotes(first: 10) { nodes { number customer { displayName currency { code } } salesQuoteLines { ${item} } } } } }`,
  );

  const renamed = quotes.company.salesQuotes.nodes.map(
    ({ number, customer, salesQuoteLines }: Record<string, unknown>) => ({
      number,
      buyer: customer,
      lines: salesQuoteLines,
    }),
  );
  expect(offers.company.offers.nodes).toEqual(renamed);
  expect(renamed.length).toBeGreaterThan(1);
  expect(offers.calls).toHaveLength(1);
});

const createOffer = `mutation ($input: CreateOfferInput!) { createOffer(input: $input) {
  offer { number buyerNumber buyer { number } lines { text quantity item { id } } } userErrors { code message path }
} }`;

const input = {
  buyerNumber: 'c10000',
  lines: [
    { itemId, quantity: '2.5' },
    { itemId, quantity: '1', text: 'Of another colour' },
  ],
};

test('a record is created with its rows, and shows them though the upstream does not return them', async ({
  layer,
  sandbox,
}) => {
  const data = await layer.read(createOffer, { input });

  expect(data.createOffer.userErrors).toEqual([]);
  expect(data.createOffer.offer).toMatchObject({
    buyerNumber: 'C10000',
    buyer: { number: 'C10000' },
    lines: [
      { quantity: '2.5', item: { id: itemId } },
      { quantity: '1', text: 'Of another colour', item: { id: itemId } },
    ],
  });
  const post = (await sandbox.calls()).find(({ method }) => method === 'POST');
  expect(JSON.parse(post?.body ?? '')).toEqual({
    id: expect.any(String),
    customerNumber: 'c10000',
    salesQuoteLines: [
      { itemId, quantity: 2.5 },
      { itemId, quantity: 1, description: 'Of another colour' },
    ],
  });
});
