import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test } from '../../support/layer.ts';

const company = { id: sandboxCompanyId };
const customer = { id: sandboxExamples.customerId, company };
const one = `customer(id: "${sandboxExamples.customerId}")`;

const documents = [
  [
    'of a fragment in two places',
    'query ($p: Boolean!, $q: Boolean!) { a: company { ...F @include(if: $p) } b: company { ...F @include(if: $q) } } fragment F on Company { id }',
    (p: boolean, q: boolean) => ({ a: p ? company : {}, b: q ? company : {} }),
  ],
  [
    'of a fragment twice in one place',
    `query ($p: Boolean!, $q: Boolean!) { company { ${one} { ...F @include(if: $p) ...F @skip(if: $q) } } } fragment F on Customer { id company { id } }`,
    (p: boolean, q: boolean) => ({ company: { customer: p || !q ? customer : {} } }),
  ],
  [
    'of a fragment that another operation spreads, too',
    'query A($p: Boolean!, $q: Boolean!) { company { ...F @include(if: $p) } b: company @skip(if: $q) { id } } query B { company { ...F } } fragment F on Company { id }',
    (p: boolean, q: boolean) => ({ company: p ? company : {}, ...(!q && { b: company }) }),
  ],
] as const;

// Twice each, as what is compiled may be compiled at its second use.
const cases = documents.flatMap(([what, query, expected]) =>
  [true, false, true].flatMap((p) => [true, false].map((q) => [what, p, q, query, expected] as const)),
);

test.for(cases)(
  'conditions %s apply only there: %s, %s',
  async ([_what, p, q, query, expected], { layer }) => {
    const response = await fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer conditions' },
      body: JSON.stringify({
        query,
        variables: { p, q },
        ...(query.startsWith('query A') && { operationName: 'A' }),
      }),
    });

    expect(await response.json()).toEqual({ data: expected(p, q) });
  },
);

test('an operation that spreads a fragment has all of its fields, after another operation has skipped some', async ({
  layer,
}) => {
  const query =
    'query A($p: Boolean!) { company { ...F @include(if: $p) } } query B { company { ...F } } fragment F on Company { id }';
  const ask = async (operationName: string, variables: object) => {
    const response = await fetch(`${layer.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer conditions' },
      body: JSON.stringify({ query, operationName, variables }),
    });
    return ((await response.json()) as { data: unknown }).data;
  };

  expect(await ask('A', { p: false })).toEqual({ company: {} });
  expect(await ask('B', {})).toEqual({ company });
  expect(await ask('A', { p: true })).toEqual({ company });
});
