import { expect } from 'vitest';
import { sandboxCompanyId as companyId } from '../../../sandbox/seed.ts';
import type { Json } from '../../support/json.ts';
import { startBeforeStub, test } from '../../support/layer.ts';

test('records that orders refer to are expanded in their one call, and unset references are null', async ({
  layer,
  sandbox,
}) => {
  const relations = ['paymentTerm', 'currency', 'shipmentMethod'];
  const ids = ['paymentTermsId', 'currencyId', 'shipmentMethodId'];
  const asked = relations.map((name) => `${name} { id companyId displayName company { id } }`);

  const data = await layer.read(
    `{ company { salesOrders(first: 200) { nodes { ${[...asked, ...ids].join(' ')} } } } }`,
  );

  const { nodes } = data.company.salesOrders;
  for (const [index, relation] of relations.entries()) {
    const found = nodes.filter((node: Json) => node[relation] !== null);
    expect(found.length, relation).toBeGreaterThan(0);
    for (const node of nodes) expect(node[relation]?.id ?? null, relation).toBe(node[ids[index] ?? '']);
    expect(found[0][relation]).toMatchObject({ companyId, company: { id: companyId } });
    expect(found[0][relation].displayName).toMatch(/\w/);
  }
  expect(await sandbox.calls()).toHaveLength(1);
});

test('a relation that an upstream does not expand is read by its id, with one call for all of a kind', async () => {
  const idOf = (digit: string) => `${digit.repeat(8)}-0000-4000-8000-000000000000`;
  const terms = [idOf('a'), idOf('b')].map((id) => ({ id, code: id.slice(0, 3) }));
  const unset = '00000000-0000-0000-0000-000000000000';
  const customers = [idOf('a'), idOf('b'), idOf('a'), unset].map((paymentTermsId, index) => ({
    id: idOf(String(index)),
    paymentTermsId,
    // Of the second, something that is no record comes along.
    ...(index === 1 && { paymentTerm: { code: 'no id' } }),
    // Versions of the real service empty expansions: beside an id null says nothing.
    currencyId: idOf(index === 0 ? 'c' : 'd'),
    currency: null,
    // Without one it is an answer: nothing is read for it.
    shipmentMethodId: unset,
    shipmentMethod: null,
  }));
  const currencies = [{ id: idOf('c'), code: 'NOK' }];
  const { stub, layer } = await startBeforeStub(({ target }) => ({
    body: {
      value: target.includes('/paymentTerms?')
        ? terms
        : target.includes('/currencies?')
          ? currencies
          : customers,
    },
  }));

  const data = await layer.read(
    '{ company { customers { nodes { paymentTerm { code } currency { code } shipmentMethod { code } } } } }',
  );

  const expected = [{ code: 'aaa' }, { code: 'bbb' }, { code: 'aaa' }, null];
  expect(data.company.customers.nodes).toEqual(
    expected.map((paymentTerm, index) => ({
      paymentTerm,
      currency: index === 0 ? { code: 'NOK' } : null,
      shipmentMethod: null,
    })),
  );
  expect(stub.requests).toHaveLength(3);
  expect(
    stub.requests.map(({ target }) => target).find((target) => target.includes('/paymentTerms?')),
  ).toContain(`/paymentTerms?$filter=id%20eq%20${idOf('a')}%20or%20id%20eq%20${idOf('b')}&$select=id,code`);
});
