import { describe, expect, onTestFinished, test } from 'vitest';
import { createRecordGraph, stubCompanyId } from '../../support/cases/record-graph.ts';
import { northwindSdl, northwindTypes, oddTexts, startNorthwind } from '../../support/upstreams/northwind.ts';

async function start(dialect: 'document' | 'dynamics' = 'document') {
  const upstream = await startNorthwind();
  onTestFinished(() => upstream.stop());
  const { query } = createRecordGraph({
    url: upstream.url,
    recordTypes: northwindTypes,
    sdl: northwindSdl,
    dialect,
  });
  const create = (input: object) =>
    query(
      'mutation ($input: CreateBuyerInput!) { createBuyer(input: $input) { buyer { id name } userErrors { code message } } }',
      { input },
    );
  const update = (input: object) =>
    query(
      'mutation ($input: UpdateBuyerInput!) { updateBuyer(input: $input) { buyer { id name etag } userErrors { code message } } }',
      { input },
    );
  const remove = (input: object) =>
    query(
      'mutation ($input: DeleteBuyerInput!) { deleteBuyer(input: $input) { deletedId deletedNodeId buyer { id } userErrors { code message } } }',
      { input },
    );
  const methods = () => upstream.requests.map(({ method }) => method);
  return { upstream, query, create, update, remove, methods };
}

const buyersPath = `/api/contoso/app/v1.0/companies(${stubCompanyId})/Buyers`;

describe('a record whose key is a text', () => {
  test.each(oddTexts)('is changed and deleted below its API by its key: %s', async (id) => {
    const { update, remove, upstream } = await start();
    const address = `${buyersPath}('${id.replaceAll("'", "''")}')`;

    const changed = await update({ id, ifMatch: '*', patch: { name: 'New' } });
    const deleted = await remove({ id, ifMatch: '*' });

    expect(changed.data.updateBuyer).toMatchObject({ buyer: { id, name: 'New' }, userErrors: [] });
    expect(deleted.data.deleteBuyer).toMatchObject({ deletedId: id, buyer: null, userErrors: [] });
    expect(upstream.calls()).toEqual([`PATCH ${address}`, `DELETE ${address}`]);
  });

  test.each(oddTexts)('whose change is lost is settled by a read of its key: %s', async (id) => {
    const { update, remove, upstream, methods } = await start();

    upstream.loseNext('PATCH');
    const changed = await update({ id, ifMatch: 'W/"0"', patch: { name: 'New' } });
    upstream.loseNext('DELETE');
    const deleted = await remove({ id, ifMatch: changed.data.updateBuyer.buyer.etag });

    expect(changed.data.updateBuyer).toMatchObject({ buyer: { id, name: 'New' }, userErrors: [] });
    expect(deleted.data.deleteBuyer).toMatchObject({ deletedId: id, userErrors: [] });
    // The delete is proven by a read of the record, and one of its set.
    expect(methods()).toEqual(['PATCH', 'GET', 'DELETE', 'GET', 'GET']);
  });

  test('that has changed is not overwritten', async () => {
    const { update } = await start();

    const { data } = await update({ id: 'a/b', ifMatch: 'W/"9"', patch: { name: 'New' } });

    expect(data.updateBuyer).toMatchObject({ buyer: { id: 'a/b' }, userErrors: [{ code: 'STALE_RECORD' }] });
  });

  test('is created with the key of the caller alone', async () => {
    const { create, upstream } = await start();

    const { data } = await create({ Code: "it's/new", name: 'Ann' });

    expect(data.createBuyer).toEqual({ buyer: { id: "it's/new", name: 'Ann' }, userErrors: [] });
    expect(JSON.parse(upstream.requests[0]?.body ?? '')).toEqual({ Code: "it's/new", name: 'Ann' });
  });

  test('whose create is lost is found by the key of the caller, and never created twice', async () => {
    const { create, upstream, methods } = await start();

    upstream.loseNext('POST');
    const { data } = await create({ Code: '%2F#?', name: 'Ann' });

    expect(data.createBuyer).toEqual({ buyer: { id: '%2F#?', name: 'Ann' }, userErrors: [] });
    expect(methods()).toEqual(['POST', 'GET']);
  });

  test('whose key is taken is refused with the record that has it', async () => {
    const { create } = await start();

    const { data } = await create({ Code: 'a/b', name: 'Ann' });

    expect(data.createBuyer.buyer.id).toBe('a/b');
    expect(data.createBuyer.userErrors).toMatchObject([{ code: 'ALREADY_EXISTS' }]);
  });

  test('is not sent under an id that none can have', async () => {
    const { update, remove, methods } = await start();
    const id = 'x'.repeat(251);

    for (const { data, errors } of [
      await update({ id, ifMatch: '*', patch: { name: 'New' } }),
      await remove({ id, ifMatch: '*' }),
    ]) {
      expect(Object.values(data)).toEqual([null]);
      expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    }
    expect(methods()).toEqual([]);
  });
});

test('a record whose key has several columns is created, changed and deleted by all of them', async () => {
  const { query, upstream } = await start('dynamics');
  const id = "OrderID=7,Code='a''b/c'";

  upstream.loseNext('POST');
  const created = await query(
    `mutation { createDetail(input: { OrderID: 7, Code: "a'b/c", quantity: 3 }) { detail { id quantity } userErrors { code } } }`,
  );
  const changed = await query(
    'mutation ($id: ID!) { updateDetail(input: { id: $id, ifMatch: "*", patch: { quantity: 4 } }) { detail { id quantity } userErrors { code } } }',
    { id },
  );
  const deleted = await query(
    'mutation ($id: ID!) { deleteDetail(input: { id: $id, ifMatch: "*" }) { deletedId userErrors { code } } }',
    { id },
  );

  expect(created.data.createDetail).toEqual({ detail: { id, quantity: 3 }, userErrors: [] });
  expect(changed.data.updateDetail).toEqual({ detail: { id, quantity: 4 }, userErrors: [] });
  expect(deleted.data.deleteDetail).toEqual({ deletedId: id, userErrors: [] });
});

test('a record whose key the upstream assigns has it after its create; a lost create is unknown, and sent once', async () => {
  const { query, upstream, methods } = await start();
  const create = () =>
    query('mutation { createTicket(input: { title: "New" }) { ticket { id title } userErrors { code } } }');

  expect((await create()).data.createTicket).toEqual({ ticket: { id: '101', title: 'New' }, userErrors: [] });
  upstream.loseNext('POST');
  expect((await create()).data.createTicket).toEqual({
    ticket: null,
    userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
  });
  expect(methods()).toEqual(['POST', 'POST']);
});

describe('changes of records of several APIs', () => {
  const batch = `mutation ($input: BatchInput!) { batch(input: $input) {
    results { deletedId deletedNodeId userErrors { code } record { ... on Buyer { id } ... on Customer { number } } } } }`;
  const entries = [
    { updateBuyer: { id: 'ALFKI', ifMatch: '*', patch: { name: 'A' } } },
    { createCustomer: { displayName: 'A customer' } },
    { deleteBuyer: { id: 'a/b', ifMatch: '*' } },
  ];

  test('are a call or a batch of each, and their outcomes stand in the order of the entries', async () => {
    const { query, upstream } = await start('dynamics');

    const { data } = await query(batch, { input: { entries } });

    expect(upstream.calls().slice(0, 2)).toEqual([
      `POST /api/contoso/app/v1.0/$batch [PATCH companies(${stubCompanyId})/Buyers('ALFKI'); DELETE companies(${stubCompanyId})/Buyers('a/b')]`,
      expect.stringMatching(/^POST \/api\/v2\.0\/companies\([^)]+\)\/customers/),
    ]);
    expect(data.batch.results[0]).toMatchObject({ record: { id: 'ALFKI' }, userErrors: [] });
    // The stub has no customers.
    expect(data.batch.results[1]).toMatchObject({ record: null, userErrors: [{}] });
    expect(data.batch.results[2]).toMatchObject({ deletedId: null, userErrors: [] });
    expect(data.batch.results[2].deletedNodeId).toEqual(expect.any(String));
  });

  test('are no transaction: nothing is sent', async () => {
    const { query, methods } = await start('dynamics');

    const { errors } = await query(batch, { input: { entries, atomic: true } });

    expect(errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(errors?.[0]?.message).toContain('`contoso/app/v1.0` and `v2.0`');
    expect(methods()).toEqual([]);
  });
});
