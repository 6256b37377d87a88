import { expect, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { startStub } from '../../support/stub.ts';

const companyId = '5d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const taken = {
  status: 400,
  body: { error: { code: 'Internal_EntityWithSameKeyExists', message: 'The record already exists.' } },
};

/** The create of a number that an upstream says is taken, where searches for it find records with the numbers `found`. */
async function create(number: string, ...found: readonly string[]) {
  const left = [...found];
  const stub = await startStub(({ method }) => {
    if (method === 'POST') return taken;
    const row = { '@odata.etag': 'W/"1"', id: '7d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e', number: left.shift() };
    return { body: { value: [row] } };
  });
  const layer = await startTestLayer(stub.url, { BUSINESS_COMPANY_ID: companyId });
  const { data, errors } = await layer.query(
    `mutation ($number: String) { createCustomer(input: { displayName: "Ada", number: $number }) {
      customer { number } userErrors { code }
    } }`,
    { number },
  );
  expect(errors).toBeUndefined();
  const searches = stub.requests
    .filter(({ method }) => method === 'GET')
    .map(({ target }) => new URL(target, 'http://upstream').searchParams.get('$filter'));
  await layer.stop();
  stub.stop();
  return { ...data.createCustomer, searches };
}

test.for([400, 409])(
  'a duplicate without a number, answered %i, was refused, after one read',
  async (status) => {
    const stub = await startStub(({ method }) =>
      method === 'POST'
        ? { ...taken, status }
        : { status: 404, body: { error: { code: 'Internal_RecordNotFound', message: 'No.' } } },
    );
    const layer = await startTestLayer(stub.url, { BUSINESS_COMPANY_ID: companyId });
    const { data } = await layer.query(
      'mutation { createCustomer(input: { displayName: "Ada" }) { customer { id } userErrors { code } } }',
    );
    await layer.stop();
    stub.stop();

    expect(data.createCustomer).toEqual({ customer: null, userErrors: [{ code: 'ALREADY_EXISTS' }] });
    expect(stub.requests.map(({ method }) => method)).toEqual(['POST', 'GET']);
  },
);

test.for([
  ['straße', 'STRAßE'],
  ['ﬁrst', 'ﬁRST'],
  ['ı1ſa', 'ı1ſA'],
  [' c-10 ', 'C-10'],
] as const)('the holder of %j is searched as %j, and shown', async ([number, kept]) => {
  expect(await create(number, kept)).toEqual({
    searches: [`number eq '${kept}'`],
    customer: { number: kept },
    userErrors: [{ code: 'ALREADY_EXISTS' }],
  });
});

test.for([
  ['straße', 'STRASSE', 'STRAßE'],
  ['C-10', 'C-11', 'C-10'],
] as const)(
  'of %j, a record with the number %s is not the holder, but one with %s',
  async ([number, other, own]) => {
    const { customer, userErrors, searches } = await create(number, other, own);

    expect(customer).toEqual({ number: own });
    expect(userErrors).toEqual([{ code: 'ALREADY_EXISTS' }]);
    expect(searches).toHaveLength(2);
  },
);
