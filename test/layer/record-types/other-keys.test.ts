import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const test = testWith(
  {},
  { RECORD_TYPES: fileURLToPath(new URL('../../fixtures/keyed-records', import.meta.url)) },
);

test('records whose key has another name are listed, read by id, filtered and led to by it', async ({
  layer,
  sandbox,
}) => {
  const { data, errors } = await layer.query(
    '{ company { customerDebts(first: 2) { nodes { id nodeId balanceDue customer { id number } } } } }',
  );
  const [first, second] = data.company.customerDebts.nodes;
  await sandbox.forgetCalls();
  const again = await layer.query(
    `query ($id: UUID!, $nodeId: ID!) {
      company {
        customerDebt(id: $id) { id balanceDue }
        customerDebts(filter: { id: { eq: $id } }) { nodes { id } }
        customer(id: $id) { debts { nodes { id } } }
      }
      node(nodeId: $nodeId) { ... on CustomerDebt { id } }
    }`,
    { id: first.id, nodeId: second.nodeId },
  );

  expect([errors, again.errors]).toEqual([undefined, undefined]);
  expect(first.customer.id).toBe(first.id);
  expect(again.data.company).toEqual({
    customerDebt: { id: first.id, balanceDue: first.balanceDue },
    customerDebts: { nodes: [{ id: first.id }] },
    customer: { debts: { nodes: [{ id: first.id }] } },
  });
  expect(again.data.node).toEqual({ id: second.id });
  const paths = (await sandbox.calls()).map(({ path }) => decodeURIComponent(path)).join('\n');
  expect(paths).toContain('$select=customerId');
  expect(paths).not.toMatch(/\$select=id\b.*agedAccounts|[( ]id eq/);
});
