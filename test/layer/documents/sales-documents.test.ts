import { describe, expect } from 'vitest';
import { type TestLayer, test } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const line = 'fragment Line on SalesDocumentLine { __typename lineNo quantity item { displayName } }';
const document = `fragment Document on SalesDocument {
  __typename nodeId number totalAmountIncludingTax
  customer { displayName }
  paymentTerm { displayName }
  ... on SalesOrder { orderDate lines: documentLines { ...Line } }
  ... on SalesQuote { validUntilDate lines: salesQuoteLines { ...Line } }
} ${line}`;

const shared =
  '__typename nodeId number totalAmountIncludingTax customer { displayName } paymentTerm { displayName }';
const lineFields = '__typename lineNo quantity item { displayName }';
/** The same without the interface, for each type. */
const ownFields = {
  SalesOrder: `${shared} orderDate lines: documentLines { ${lineFields} }`,
  SalesQuote: `${shared} validUntilDate lines: salesQuoteLines { ${lineFields} }`,
};

/** Answers a query, and the paths of the calls it made. */
async function answer(layer: TestLayer, sandbox: TestSandbox, query: string, variables = {}) {
  await sandbox.forgetCalls();
  const data = await layer.read(query, variables);
  const calls = await sandbox.calls();
  return { data, paths: calls.flatMap((call) => (call.parts ?? [call]).map(({ path }) => path)).sort() };
}

describe('a fragment on SalesDocument reads what fragments on its types read, with the same calls', () => {
  test('in lists of both', async ({ layer, sandbox }) => {
    const list = (order: string, quote: string) => `{ company {
      salesOrders(first: 4) { nodes { ${order} } }
      salesQuotes(first: 4) { edges { node { ${quote} } } }
    } }`;
    const own = await answer(layer, sandbox, list(ownFields.SalesOrder, ownFields.SalesQuote));

    const found = await answer(layer, sandbox, list('...Document', '...Document') + document);

    expect(found).toEqual(own);
    expect(found.paths).toHaveLength(2);
    for (const { lines } of found.data.company.salesOrders.nodes) expect(lines.length).toBeGreaterThan(0);
  });

  test('in the nodes of both, one call for each type', async ({ layer, sandbox }) => {
    const { company } = await layer.read(
      '{ company { salesOrders(first: 3) { nodes { nodeId } } salesQuotes(first: 3) { nodes { nodeId } } } }',
    );
    const documents: { nodeId: string }[] = [...company.salesOrders.nodes, ...company.salesQuotes.nodes];
    const nodeIds = documents.map(({ nodeId }) => nodeId);

    const { data, paths } = await answer(
      layer,
      sandbox,
      'query ($nodeIds: [ID!]!) { nodes(nodeIds: $nodeIds) { ... on SalesDocument { nodeId number customer { displayName } } } }',
      { nodeIds },
    );

    expect(data.nodes.map(({ nodeId }: { nodeId: string }) => nodeId)).toEqual(nodeIds);
    expect(paths).toHaveLength(2);
    for (const path of paths) expect(path).toContain('$expand=customer($select=id,displayName)');
  });
});
