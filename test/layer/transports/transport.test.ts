import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test, testToken } from '../../support/layer.ts';

const authorization = `Bearer ${testToken}`;

const sandboxCustomer = { id: sandboxExamples.customerId };

const json = { 'content-type': 'application/json', authorization };

test('a token or an address that the upstream repeats is redacted in its messages, and never in its codes', async ({
  layer,
  sandbox,
}) => {
  const change = `mutation ($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) { userErrors { code upstream { code message } } }
  }`;
  const input = { ...sandboxCustomer, ifMatch: '*', patch: { city: 'Oslo' } };
  for (const token of ['se"cret', 'Changed']) {
    await sandbox.fault({
      method: 'PATCH',
      status: 409,
      body: { error: { code: 'Request_EntityChanged', message: `token ${token} at ${sandbox.url}` } },
    });

    const { data } = await layer.query(change, { input }, { authorization: `Bearer ${token}` });

    const [{ code, upstream }] = data.updateCustomer.userErrors;
    expect([code, upstream.code]).toEqual(['STALE_RECORD', 'Request_EntityChanged']);
    expect(upstream.message).toMatch(/^token \[token\] at /);
    expect(upstream.message).not.toContain(new URL(sandbox.url).host);
  }
});

test('of two queries in a document the named one is executed, every time', async ({ layer }) => {
  const query = 'query A { a: company { id } } query B { b: company { id } }';
  for (const operationName of ['B', 'A', 'B', 'B', 'A']) {
    const response = await fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ query, operationName }),
    });

    expect(await response.json()).toEqual({
      data: { [operationName.toLowerCase()]: { id: sandboxCompanyId } },
    });
  }
});
