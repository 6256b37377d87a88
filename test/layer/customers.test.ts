import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../src/sandbox/seed/seed.ts';
import { startTestLayer, test } from '../support/layer.ts';

const { customerId: id } = sandboxExamples;
const address = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;

const read = `query ($id: UUID!) { company { customer(id: $id) { etag displayName phoneNumber city } } }`;

const update = `mutation ($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) {
    customer { id etag displayName phoneNumber city blocked blockedRaw currencyId website }
    userErrors { code message path upstream { code message } }
  }
}`;

test('a customer by id takes one call for the columns asked', async ({ layer, sandbox }) => {
  const { data, errors } = await layer.query(read, { id });

  expect(errors).toBeUndefined();
  expect(data.company.customer.etag).toMatch(/^W\/"/);
  const calls = await sandbox.calls();
  expect(calls.map(({ path }) => path)).toEqual([`${address}?$select=id,displayName,city,phoneNumber`]);
});

test('an id in upper case finds the same customer', async ({ layer }) => {
  const lower = await layer.query(read, { id });

  const upper = await layer.query(read, { id: id.toUpperCase() });

  expect(upper.data).toEqual(lower.data);
});

test('a customer that is not there is null, not an error', async ({ layer }) => {
  const { data, errors } = await layer.query(read, { id: '99999999-0000-4000-8000-000000000000' });

  expect(errors).toBeUndefined();
  expect(data).toEqual({ company: { customer: null } });
});

test('what the upstream writes for "unset" never reaches a caller', async ({ layer, sandbox }) => {
  const { data } = await layer.query(`{
    company { customers(first: 300) { nodes {
      blocked blockedRaw currencyId website addressLine2 taxAreaId shipmentMethodId paymentMethodId lastModifiedDateTime
    } } }
  }`);

  const answered = JSON.stringify(data.company.customers.nodes);
  const raw = await (await sandbox.send('GET', `/api/v2.0/companies(${sandboxCompanyId})/customers`)).text();
  for (const standIn of ['""', '"00000000-0000-0000-0000-000000000000"']) {
    expect(raw).toContain(standIn);
    expect(answered).not.toContain(standIn);
  }
  const blocked = new Map(
    data.company.customers.nodes.map((node: Record<string, string>) => [node.blockedRaw, node.blocked]),
  );
  expect(Object.fromEntries(blocked)).toEqual({
    ' ': 'NOT_BLOCKED',
    Ship: 'SHIP',
    Invoice: 'INVOICE',
    All: 'ALL',
  });
});

test('an unknown word of the upstream is UNRECOGNIZED and shown raw, and the rest of the answer stands', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({
    path: '/customers',
    status: 200,
    body: { id, displayName: 'Northwind', type: 'Robot' },
  });

  const { data, errors } = await layer.query(
    'query ($id: UUID!) { company { customer(id: $id) { type typeRaw displayName } } }',
    {
      id,
    },
  );

  expect(errors).toBeUndefined();
  expect(data.company.customer).toEqual({ type: 'UNRECOGNIZED', typeRaw: 'Robot', displayName: 'Northwind' });
});

test('an update with the right tag changes only what it names and gives the new tag', async ({
  layer,
  sandbox,
}) => {
  const before = await layer.query(read, { id });
  const { etag, city } = before.data.company.customer;
  await sandbox.forgetCalls();

  const { data, errors } = await layer.query(update, {
    input: { id, ifMatch: etag, patch: { phoneNumber: '+1 555 0100', blocked: 'SHIP' } },
  });

  expect(errors).toBeUndefined();
  expect(data.updateCustomer.userErrors).toEqual([]);
  expect(data.updateCustomer.customer).toMatchObject({
    id,
    phoneNumber: '+1 555 0100',
    blocked: 'SHIP',
    city,
  });
  expect(data.updateCustomer.customer.etag).not.toBe(etag);
  const [patch, ...others] = await sandbox.calls();
  expect(others).toEqual([]);
  expect(patch).toMatchObject({ method: 'PATCH', path: address, headers: { 'if-match': etag } });
  expect(JSON.parse(patch?.body ?? '')).toEqual({ phoneNumber: '+1 555 0100', blocked: 'Ship' });
});

test('the same tag a second time is STALE_RECORD, changes nothing, and shows the record as it is', async ({
  layer,
  sandbox,
}) => {
  const before = await layer.query(read, { id });
  const { etag } = before.data.company.customer;
  await layer.query(update, { input: { id, ifMatch: etag, patch: { phoneNumber: '1' } } });
  await sandbox.forgetCalls();

  const { data, errors } = await layer.query(update, {
    input: { id, ifMatch: etag, patch: { phoneNumber: '2' } },
  });

  expect(errors).toBeUndefined();
  expect(data.updateCustomer.userErrors).toMatchObject([
    { code: 'STALE_RECORD', path: ['input', 'ifMatch'] },
  ]);
  expect(data.updateCustomer.customer).toMatchObject({ id, phoneNumber: '1' });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['PATCH', 'GET']);
  const merged = await layer.query(update, {
    input: { id, ifMatch: data.updateCustomer.customer.etag, patch: { phoneNumber: '2' } },
  });
  expect(merged.data.updateCustomer).toMatchObject({ customer: { phoneNumber: '2' }, userErrors: [] });
});

test.for([
  [
    409,
    { error: { code: 'Request_EntityChanged', message: 'Another user has already changed the record.' } },
    'STALE_RECORD',
  ],
  [412, { error: { code: 'AnyWord', message: 'no' } }, 'STALE_RECORD'],
  [409, { error: { code: 'Internal_EntityWithSameKeyExists', message: 'no' } }, 'ALREADY_EXISTS'],
  [409, { error: { code: 'SomethingElse', message: 'no' } }, 'CONFLICT'],
  [403, { error: { code: 'Authorization_RequestDenied', message: 'no' } }, 'NOT_ALLOWED'],
  [404, { error: { code: 'BadRequest_ResourceNotFound', message: 'no' } }, 'NOT_FOUND'],
  [400, { error: { code: 'Application_DialogException', message: 'no' } }, 'INVALID_INPUT'],
  [500, { error: { code: 'Internal_ServerError', message: 'no' } }, 'OUTCOME_UNKNOWN'],
  [504, {}, 'OUTCOME_UNKNOWN'],
  [200, 'not JSON', 'OUTCOME_UNKNOWN'],
] as const)('a change answered %s %j is %s', async ([status, body, code], { layer, sandbox }) => {
  await sandbox.fault({ method: 'PATCH', status, body });

  const { data, errors } = await layer.query(update, {
    input: { id, ifMatch: '*', patch: { city: 'Oslo' } },
  });

  expect(errors).toBeUndefined();
  expect(data.updateCustomer.userErrors).toMatchObject([{ code }]);
  expect((await sandbox.calls()).filter(({ method }) => method === 'PATCH')).toHaveLength(1);
});

test.for([
  [401, 'UNAUTHENTICATED'],
  [429, 'UPSTREAM_THROTTLED'],
] as const)(
  'a change answered %s is the error %s, and the change after it still runs',
  async ([status, code], { layer, sandbox }) => {
    await sandbox.fault({ method: 'PATCH', status, headers: { 'retry-after': '7' }, body: {} });

    const { data, errors } = await layer.query(
      `mutation ($input: UpdateCustomerInput!) {
      first: updateCustomer(input: $input) { userErrors { code } }
      second: updateCustomer(input: $input) { customer { city } userErrors { code } }
    }`,
      { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } },
    );

    expect(data).toEqual({ first: null, second: { customer: { city: 'Oslo' }, userErrors: [] } });
    expect(errors).toMatchObject([{ path: ['first'], extensions: { code, upstream: 'business' } }]);
    if (status === 429) expect(errors?.[0]?.extensions.retryAfterSeconds).toBe(7);
  },
);

test('null clears a field by writing what stands for "unset"', async ({ layer, sandbox }) => {
  const { data } = await layer.query(update, {
    input: { id, ifMatch: '*', patch: { website: null, currencyId: null, blocked: null } },
  });

  expect(data.updateCustomer.userErrors).toEqual([]);
  expect(data.updateCustomer.customer).toMatchObject({
    website: null,
    currencyId: null,
    blocked: 'NOT_BLOCKED',
  });
  expect(JSON.parse((await sandbox.calls())[0]?.body ?? '')).toEqual({
    website: '',
    currencyId: '00000000-0000-0000-0000-000000000000',
    blocked: ' ',
  });
});

test.for([
  ['a tag that is none', { id, ifMatch: 'abc', patch: { city: 'Oslo' } }, ['input', 'ifMatch']],
  [
    'a tag that ends a header line',
    { id, ifMatch: '"a"\r\nx: y', patch: { city: 'Oslo' } },
    ['input', 'ifMatch'],
  ],
  ['an empty change', { id, ifMatch: '*', patch: {} }, ['input', 'patch']],
  [
    'an unrecognised choice',
    { id, ifMatch: '*', patch: { blocked: 'UNRECOGNIZED' } },
    ['input', 'patch', 'blocked'],
  ],
  ['a limit cleared', { id, ifMatch: '*', patch: { creditLimit: null } }, ['input', 'patch', 'creditLimit']],
] as const)('%s is INVALID_INPUT and nothing is sent', async ([_what, input, path], { layer, sandbox }) => {
  const { data, errors } = await layer.query(update, { input });

  expect(errors).toBeUndefined();
  expect(data.updateCustomer).toMatchObject({
    customer: null,
    userErrors: [{ code: 'INVALID_INPUT', path }],
  });
  expect(await sandbox.calls()).toEqual([]);
});

test('a change whose answer is lost is sent once, reported as unknown, and shown as it now stands', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'PATCH', reset: 'after' });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Bergen' } } });

  expect(data.updateCustomer).toMatchObject({
    customer: { city: 'Bergen' },
    userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
  });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['PATCH', 'GET']);
});

test('a query after a change in one request reads what the change left', async ({ layer }) => {
  const { data } = await layer.query(
    `mutation ($a: UpdateCustomerInput!, $b: UpdateCustomerInput!) {
      a: updateCustomer(input: $a) { customer { company { customer(id: "${id}") { city } } } }
      b: updateCustomer(input: $b) { customer { company { customer(id: "${id}") { city } } } }
    }`,
    { a: { id, ifMatch: '*', patch: { city: 'First' } }, b: { id, ifMatch: '*', patch: { city: 'Second' } } },
  );

  expect(data.a.customer.company.customer.city).toBe('First');
  expect(data.b.customer.company.customer.city).toBe('Second');
});

test('a change that was made, and answered without a body, is shown as it now stands', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'PATCH', status: 204 });

  const { data, errors } = await layer.query(update, {
    input: { id, ifMatch: '*', patch: { city: 'Oslo' } },
  });

  expect(errors).toBeUndefined();
  expect(data.updateCustomer).toMatchObject({ customer: { id }, userErrors: [] });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['PATCH', 'GET']);
});

test('values of another type than their column are null, and the rest of the record stands', async ({
  layer,
  sandbox,
}) => {
  const odd = {
    id,
    displayName: 'Northwind',
    lastModifiedDateTime: { toString: 1 },
    currencyId: { a: 1 },
    taxLiable: 'yes',
    city: [],
  };
  await sandbox.fault({ path: '/customers', times: 2, status: 200, body: odd });
  const fields = 'displayName lastModifiedDateTime currencyId taxLiable city';
  const expected = {
    displayName: 'Northwind',
    lastModifiedDateTime: null,
    currencyId: null,
    taxLiable: null,
    city: null,
  };

  const read = await layer.query(`query ($id: UUID!) { company { customer(id: $id) { ${fields} } } }`, {
    id,
  });
  const changed = await layer.query(
    `mutation ($input: UpdateCustomerInput!) { updateCustomer(input: $input) { customer { ${fields} } userErrors { code } } }`,
    {
      input: { id, ifMatch: '*', patch: { city: 'Oslo' } },
    },
  );

  expect(read.errors).toBeUndefined();
  expect(read.data.company.customer).toEqual(expected);
  expect(changed.data.updateCustomer).toEqual({ customer: expected, userErrors: [] });
});

test('a list with a record that has no id is UPSTREAM_BAD_RESPONSE', async ({ layer, sandbox }) => {
  await sandbox.fault({
    path: '/customers',
    status: 200,
    body: { value: [{ id, number: '1' }, { number: '2' }] },
  });

  const { data, errors } = await layer.query('{ company { customers { nodes { number } } } }');

  expect(data.company.customers).toBeNull();
  expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_BAD_RESPONSE' } }]);
});

test.for([
  [403, 'NOT_ALLOWED'],
  [404, 'NOT_FOUND'],
] as const)(
  'after a change answered %s the record is not read again',
  async ([status, code], { layer, sandbox }) => {
    await sandbox.fault({ method: 'PATCH', status, body: {} });

    const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });

    expect(data.updateCustomer).toMatchObject({ customer: null, userErrors: [{ code }] });
    expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['PATCH']);
  },
);

test.for([
  [412, 'STALE_RECORD'],
  [400, 'INVALID_INPUT'],
  [500, 'OUTCOME_UNKNOWN'],
] as const)(
  'a change answered %s is %s although the record cannot be read beside it',
  async ([status, code], { layer, sandbox }) => {
    await sandbox.fault({ method: 'PATCH', status, body: {} });
    await sandbox.fault({ method: 'GET', status: 503, body: {} });

    const { data, errors } = await layer.query(update, {
      input: { id, ifMatch: '*', patch: { city: 'Oslo' } },
    });

    expect(errors).toBeUndefined();
    expect(data.updateCustomer).toMatchObject({ customer: null, userErrors: [{ code }] });
  },
);

test('a failure of the upstream with the code of a stale tag is OUTCOME_UNKNOWN', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'PATCH', status: 500, body: { error: { code: 'Request_EntityChanged' } } });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });

  expect(data.updateCustomer.userErrors).toMatchObject([{ code: 'OUTCOME_UNKNOWN' }]);
});

test('a change may take longer than a read', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { REQUEST_TIMEOUT_MS: '100', WRITE_TIMEOUT_MS: '5000' });
  await sandbox.fault({ method: 'PATCH', delayMs: 400 });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });
  await layer.stop();

  expect(data.updateCustomer).toMatchObject({ customer: { city: 'Oslo' }, userErrors: [] });
});

test('one id in two companies is asked of each', async ({ layer, sandbox }) => {
  const { data } = await layer.query('{ companies { nodes { id } } }');
  const [a, b] = data.companies.nodes.map((company: { id: string }) => company.id);
  await sandbox.forgetCalls();

  await layer.query(
    `query ($id: UUID!, $a: UUID!, $b: UUID!) {
      a: company(id: $a) { customer(id: $id) { number } }
      b: company(id: $b) { customer(id: $id) { number } }
    }`,
    { id, a, b },
  );

  const asked = (await sandbox.calls()).map(({ path }) => /companies\(([^)]+)\)/.exec(path)?.[1]);
  expect(asked.sort()).toEqual([a, b].sort());
});

test('the record beside a refused change is read anew, not as an earlier change of the request left it', async ({
  layer,
  sandbox,
}) => {
  await sandbox.fault({ method: 'PATCH', delayMs: 0 });
  await sandbox.fault({ method: 'PATCH', reset: 'after' });

  const { data } = await layer.query(
    `mutation ($a: UpdateCustomerInput!, $b: UpdateCustomerInput!) {
      a: updateCustomer(input: $a) { customer { company { customer(id: "${id}") { city } } } }
      b: updateCustomer(input: $b) { customer { city } }
    }`,
    { a: { id, ifMatch: '*', patch: { city: 'First' } }, b: { id, ifMatch: '*', patch: { city: 'Second' } } },
  );

  expect(data.a.customer.company.customer.city).toBe('First');
  expect(data.b.customer.city).toBe('Second');
});

test('a tag may hold characters above ASCII, as HTTP has it', async ({ layer, sandbox }) => {
  await layer.query(update, {
    input: { id, ifMatch: 'W/"\u00e9"', patch: { city: 'Oslo' } },
  });

  expect((await sandbox.calls())[0]).toMatchObject({ method: 'PATCH' });
});

test('an unknown outcome is told with the words of the upstream', async ({ layer, sandbox }) => {
  await sandbox.fault({
    method: 'PATCH',
    status: 500,
    body: { error: { code: 'Broken', message: 'Sorry' } },
  });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });

  expect(data.updateCustomer.userErrors).toMatchObject([
    { code: 'OUTCOME_UNKNOWN', upstream: { code: 'Broken', message: 'Sorry' } },
  ]);
});
