import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test, testToken } from '../../support/layer.ts';

const authorization = `Bearer ${testToken}`;

const sandboxCustomer = { id: sandboxExamples.customerId };

const json = { 'content-type': 'application/json', authorization };

test("the caller's own token is sent upstream, and appears nowhere in a response", async ({
  layer,
  sandbox,
}) => {
  const canary = 'canary-7d1f';
  await sandbox.fault({
    status: 400,
    body: { error: { code: 'Echo', message: `refused Bearer ${canary} at ${sandbox.url}` } },
  });

  const { errors } = await layer.query(
    '{ companies { totalCount } }',
    {},
    { authorization: `Bearer ${canary}` },
  );

  const [call] = await sandbox.calls();
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(canary));
  expect(call?.headers.authorization).toBe(
    `Bearer sha256:${Buffer.from(digest).toString('hex').slice(0, 12)}`,
  );
  expect(errors).toMatchObject([{ extensions: { upstreamError: { code: 'Echo' } } }]);
  expect(JSON.stringify(errors)).not.toContain(canary);
  expect(JSON.stringify(errors)).not.toContain(new URL(sandbox.url).host);
});

test('a token that the upstream repeats in any form is redacted in its messages, and never in its codes', async ({
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
      body: { error: { code: 'Request_EntityChanged', message: `token ${token}` } },
    });

    const { data } = await layer.query(change, { input }, { authorization: `Bearer ${token}` });

    expect(data.updateCustomer.userErrors).toEqual([
      { code: 'STALE_RECORD', upstream: { code: 'Request_EntityChanged', message: 'token [token]' } },
    ]);
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
