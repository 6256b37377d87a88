import { expect } from 'vitest';
import { type Answer, testBeforeStub, testToken } from '../../support/layer.ts';

const own = '11111111-0000-4000-8000-000000000001';
const other = '22222222-0000-4000-8000-000000000002';
const id = '33333333-0000-4000-8000-000000000003';
const word = 'of the other company';

const refusal = {
  status: 403,
  body: { error: { code: 'Authentication_InvalidCredentials', message: word } },
};
const isOwn = (target: string) => target.includes(`companies(${own})`);

/** The upstream lets its caller into one company, and says of the other only that it may not. */
const test = testBeforeStub(
  ({ target, body }) => {
    if (!target.endsWith('$batch'))
      return isOwn(target) ? { body: { id, value: [{ id, customerId: id, customer: null }] } } : refusal;
    const { requests } = JSON.parse(body) as { requests: { id: string; url: string }[] };
    const responses = requests.map((part) => ({
      id: part.id,
      ...(isOwn(part.url) ? { status: 200, body: { id, value: [] } } : refusal),
    }));
    return { body: { responses } };
  },
  { BUSINESS_COMPANY_ID: own, POLL_RECORDS_MS: '50' },
);

const queries = {
  'by name': `{ company(id: "${other}") { customer(id: "${id}") { city } } }`,
  'many at once': `{ company(id: "${other}") { ${[1, 2, 3, 4, 5, 6].map((n) => `a${n}: customers(first: ${n}) { totalCount }`).join(' ')} } }`,
  'as an entity': `{ _entities(representations: [{ __typename: "Customer", companyId: "${other}", id: "${id}" }]) { ... on Customer { city } } }`,
};
const inputs = {
  createCustomer: `{ companyId: "${other}", displayName: "New" }`,
  updateCustomer: `{ companyId: "${other}", id: "${id}", ifMatch: "*", patch: { city: "Oslo" } }`,
  deleteCustomer: `{ companyId: "${other}", id: "${id}", ifMatch: "*" }`,
};

const codes = ({ errors = [] }: Answer) => new Set(errors.map(({ extensions }) => extensions.code));

test.for(Object.entries(queries))(
  'a company that the upstream denies to a caller is FORBIDDEN %s',
  async ([, query], { scene }) => {
    const { stub, layer } = scene;
    const before = stub.requests.length;
    const answer = await layer.query(query);

    expect(codes(answer)).toEqual(new Set(['FORBIDDEN']));
    expect(JSON.stringify(answer)).not.toContain(word);
    const asked = stub.requests.slice(before);
    expect(asked).toHaveLength(1);
    for (const { headers } of asked) expect(headers.authorization).toBe(`Bearer ${testToken}`);
  },
);

test.for(Object.entries(inputs))(
  '%s in a company that the upstream denies to a caller is NOT_ALLOWED, and sent once',
  async ([name, input], { scene }) => {
    const { stub, layer } = scene;
    const before = stub.requests.length;
    const answer = await layer.query(
      `mutation { ${name}(input: ${input}) { customer { city } userErrors { code } } }`,
    );

    expect(answer.errors).toBeUndefined();
    expect(answer.data[name]).toEqual({ customer: null, userErrors: [{ code: 'NOT_ALLOWED' }] });
    expect(JSON.stringify(answer)).not.toContain(word);
    expect(stub.requests.slice(before).filter(({ method }) => method !== 'GET')).toHaveLength(1);
  },
);

test('a subscriber to a company that the upstream denies to it gets that error once, and nothing is polled', async ({
  scene,
}) => {
  const { stub, layer } = scene;
  const query = `subscription { recordChanged(companyId: "${other}", types: [CUSTOMER]) { id } }`;
  const told = [];
  for await (const event of layer.watch(query, {})) told.push(event);

  expect(told).toMatchObject([{ errors: [{ extensions: { code: 'FORBIDDEN' } }] }]);
  const polls = stub.requests.length;
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(stub.requests).toHaveLength(polls);
});

test('beside an accessible company a denied one is an error of its own, and does not affect the rest of the response', async ({
  scene,
}) => {
  const { data, errors } = await scene.layer.query(
    `{ a: company { customers { nodes { id } } } b: company(id: "${other}") { customers { nodes { id } } } }`,
  );

  expect(data).toEqual({ a: { customers: { nodes: [{ id }] } }, b: { customers: null } });
  expect(errors).toMatchObject([{ path: ['b', 'customers'], extensions: { code: 'FORBIDDEN' } }]);
});

test('a record that names another company is read in the requested company', async ({ scene }) => {
  const { stub, layer } = scene;
  const before = stub.requests.length;
  const { data } = await layer.query(
    `{ company { salesOrders { nodes { companyId customer { companyId } } } } }`,
  );

  expect(data.company.salesOrders.nodes).toMatchObject([{ companyId: own }]);
  for (const { target } of stub.requests.slice(before)) expect(target).toContain(`companies(${own})`);
});
