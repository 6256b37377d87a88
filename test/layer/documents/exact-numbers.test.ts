import { expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { type Answer, type TestLayer, test, testToken } from '../../support/layer.ts';

const { customerId: id } = sandboxExamples;

const change = (declared: string, limit: string) => `mutation ${declared} {
  updateCustomer(input: { id: "${id}", ifMatch: "*", patch: { creditLimit: ${limit} } }) {
    customer { creditLimit }
    userErrors { code }
  }
}`;

const update = `mutation ($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) { customer { creditLimit } userErrors { code } }
}`;

/** A request by hand: a client's own JSON may hold numbers that JavaScript cannot. */
async function post({ url }: TestLayer, body: string, type = 'application/json') {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': type, authorization: `Bearer ${testToken}` },
    body,
  });
  return { status: response.status, ...((await response.json()) as Pick<Answer, 'data' | 'errors'>) };
}

const withVariables = (query: string, variables: string) =>
  `{"query":${JSON.stringify(query)},"variables":${variables}}`;

const withLimit = (limit: string) =>
  `{"input":{"id":"${id}","ifMatch":"*","patch":{"creditLimit":${limit}}}}`;

const zeros = (count: number) => '0'.repeat(count);

test.for([
  ['12345678901234567890.123456789', '12345678901234567890.123456789'],
  ['1e-400', `0.${zeros(399)}1`],
] as const)(
  'of %s the same digits are sent, given in the document, as a number or as a string',
  async ([given, sent], { layer, sandbox }) => {
    const bodies = [
      JSON.stringify({ query: change('', given) }),
      withVariables(change('($limit: Decimal)', '$limit'), `{"limit":${given}}`),
      withVariables(update, withLimit(given)),
      // A text is an xsd:decimal, which has no exponent.
      ...(/e/i.test(given) ? [] : [withVariables(update, withLimit(`"${given}"`))]),
    ];
    for (const body of bodies) {
      const { data, errors } = await post(layer, body);

      expect(errors).toBeUndefined();
      expect(data.updateCustomer).toEqual({ customer: { creditLimit: sent }, userErrors: [] });
    }
    expect((await sandbox.calls()).map(({ body }) => body)).toEqual(
      Array(bodies.length).fill(`{"creditLimit":${sent}}`),
    );
  },
);

test('a filter sends every digit, by POST and by GET', async ({ layer, sandbox }) => {
  const query = `query ($filter: CustomerFilter!) {
    company { customers(filter: $filter) { nodes { id } } }
  }`;
  const variables = '{"filter":{"creditLimit":{"gt":0.30000000000000000001}}}';

  await post(layer, withVariables(query, variables));
  const response = await fetch(`${layer.url}/graphql?${new URLSearchParams({ query, variables })}`, {
    headers: { 'apollo-require-preflight': '1', authorization: `Bearer ${testToken}` },
  });

  expect(response.status).toBe(200);
  for (const { path } of await sandbox.calls()) {
    expect(new URL(path, sandbox.url).searchParams.get('$filter')).toBe(
      'creditLimit gt 0.30000000000000000001',
    );
  }
  expect(await sandbox.calls()).toHaveLength(2);
});

const queries = {
  SafeInt: 'query ($value: SafeInt) { companies(filter: { timestamp: { eq: $value } }) { totalCount } }',
  Int: 'query ($value: Int) { company { customers(first: $value) { totalCount } } }',
  UUID: 'query ($value: UUID!) { company { customer(id: $value) { id } } }',
};

test.for([
  ['SafeInt', '9007199254740992'],
  ['SafeInt', '1.00000000000000000001'],
  ['Int', '5.00000000000000000001'],
  ['UUID', '12345678901234567890'],
] as const)(
  'a variable of the type %s cannot be %s, and nothing is sent',
  async ([type, value], { layer, sandbox }) => {
    const { errors } = await post(layer, withVariables(queries[type], `{"value":${value}}`));

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(await sandbox.calls()).toEqual([]);
  },
);
