import { expect, onTestFinished, vi } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, test } from '../../support/layer.ts';

const { customerId: id } = sandboxExamples;

const address = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;

const read = `query ($id: UUID!) { company { customer(id: $id) { etag displayName phoneNumber city } } }`;

const update = `mutation ($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) {
    customer { id etag displayName phoneNumber city blocked currencyId website }
    userErrors { code message path upstream { code message } }
  }
}`;

test('an update with the current tag changes only the given fields and returns the new tag', async ({
  layer,
  sandbox,
}) => {
  const before = await layer.query(read, { id });
  const { etag, city } = before.data.company.customer;
  await sandbox.forgetCalls();

  const { data, errors } = await layer.query(update, {
    input: { id, ifMatch: etag, patch: { phoneNumber: '+1 555 0100', blocked: 'Ship' } },
  });

  expect(errors).toBeUndefined();
  expect(data.updateCustomer.userErrors).toEqual([]);
  expect(data.updateCustomer.customer).toMatchObject({
    id,
    phoneNumber: '+1 555 0100',
    blocked: 'Ship',
    city,
  });
  expect(data.updateCustomer.customer.etag).not.toBe(etag);
  const [patch, ...others] = await sandbox.calls();
  expect(others).toEqual([]);
  expect(patch).toMatchObject({ method: 'PATCH', path: address, headers: { 'if-match': etag } });
  expect(JSON.parse(patch?.body ?? '')).toEqual({ phoneNumber: '+1 555 0100', blocked: 'Ship' });
});

test('a second update with the same tag is STALE_RECORD, changes nothing, and returns the current record', async ({
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
  [400, { error: { code: 'Application_DialogException', message: 'no' } }, 'REFUSED'],
  [500, { error: { code: 'Internal_ServerError', message: 'no' } }, 'OUTCOME_UNKNOWN'],
  [504, {}, 'OUTCOME_UNKNOWN'],
  [200, 'not JSON', 'OUTCOME_UNKNOWN'],
] as const)('an update answered %s %j is %s', async ([status, body, code], { layer, sandbox }) => {
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
  'an update answered %s is the error %s, and the next update still runs',
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

test("null clears a field by writing the upstream's unset value", async ({ layer, sandbox }) => {
  const { data } = await layer.query(update, {
    input: { id, ifMatch: '*', patch: { website: null, currencyId: null, blocked: null } },
  });

  expect(data.updateCustomer.userErrors).toEqual([]);
  expect(data.updateCustomer.customer).toMatchObject({
    website: null,
    currencyId: null,
    blocked: null,
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
  ['a choice cleared', { id, ifMatch: '*', patch: { type: null } }, ['input', 'patch', 'type']],
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

test('a query after an update in one request sees the update', async ({ layer }) => {
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

test('an update that succeeded without a response body returns the current record', async ({
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

test('after an update answered 403 the record is not read again', async ({ layer, sandbox }) => {
  await sandbox.fault({ method: 'PATCH', status: 403, body: {} });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });

  expect(data.updateCustomer).toMatchObject({ customer: null, userErrors: [{ code: 'NOT_ALLOWED' }] });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['PATCH']);
});

test('an update that is refused because another record does not exist is INVALID_INPUT, with the record', async ({
  layer,
  sandbox,
}) => {
  const error = { code: 'Internal_RecordNotFound', message: "The Payment Terms does not exist. Code='X30'" };
  await sandbox.fault({ method: 'PATCH', status: 404, body: { error } });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });

  expect(data.updateCustomer).toMatchObject({
    customer: { id },
    userErrors: [{ code: 'INVALID_INPUT', upstream: error }],
  });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['PATCH', 'GET', 'GET']);
});

test.for([202, 204] as const)(
  'an update answered %s that the record does not show is OUTCOME_UNKNOWN',
  async (status, { layer, sandbox }) => {
    const etag = (await layer.query(read, { id })).data.company.customer.etag;
    await sandbox.forgetCalls();
    await sandbox.fault({ method: 'PATCH', status, body: '', times: 2 });

    const { data } = await layer.query(update, {
      input: { id, ifMatch: etag, patch: { city: 'Elsewhere' } },
    });

    expect(data.updateCustomer).toMatchObject({
      customer: { id, etag },
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    });
    const sent = (await sandbox.calls()).filter(({ method }) => method === 'PATCH');
    expect(sent).toHaveLength(status === 202 ? 2 : 1);
  },
);

test.for([
  [412, 'STALE_RECORD', 403, 1],
  [412, 'OUTCOME_UNKNOWN', 503, 11],
  [400, 'REFUSED', 503, 1],
] as const)(
  'an update answered %s is %s where reads of the record are answered %s, with this number of reads: %s',
  async ([status, code, readStatus, looks], { layer, sandbox }) => {
    // No pauses between the looks.
    const random = vi.spyOn(Math, 'random').mockReturnValue(0);
    onTestFinished(() => random.mockRestore());
    await sandbox.fault({ method: 'PATCH', status, body: {} });
    await sandbox.fault({ method: 'GET', status: readStatus, body: {}, times: 100 });

    const { data, errors } = await layer.query(update, {
      input: { id, ifMatch: '*', patch: { city: 'Oslo' } },
    });

    expect(errors).toBeUndefined();
    expect(data.updateCustomer).toMatchObject({ customer: null, userErrors: [{ code }] });
    expect((await sandbox.calls()).filter(({ method }) => method === 'GET')).toHaveLength(looks);
  },
);

test('a tag refused with the status 500 is STALE_RECORD, too, by its code', async ({ layer, sandbox }) => {
  await sandbox.fault({ method: 'PATCH', status: 500, body: { error: { code: 'Request_EntityChanged' } } });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });

  expect(data.updateCustomer).toMatchObject({ customer: { id }, userErrors: [{ code: 'STALE_RECORD' }] });
  expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['PATCH', 'GET']);
});

test('an update may take longer than a read', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url, { REQUEST_TIMEOUT_MS: '100', WRITE_TIMEOUT_MS: '5000' });
  await sandbox.fault({ method: 'PATCH', delayMs: 400 });

  const { data } = await layer.query(update, { input: { id, ifMatch: '*', patch: { city: 'Oslo' } } });
  await layer.stop();

  expect(data.updateCustomer).toMatchObject({ customer: { city: 'Oslo' }, userErrors: [] });
});

test('the record beside a refused update is read anew, not taken from an earlier update of the request', async ({
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

test('a tag may hold characters above ASCII, as HTTP permits', async ({ layer, sandbox }) => {
  await layer.query(update, {
    input: { id, ifMatch: 'W/"\u00e9"', patch: { city: 'Oslo' } },
  });

  expect((await sandbox.calls())[0]).toMatchObject({ method: 'PATCH' });
});

test("an unknown outcome is reported with the upstream's message", async ({ layer, sandbox }) => {
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
