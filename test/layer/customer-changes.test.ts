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
