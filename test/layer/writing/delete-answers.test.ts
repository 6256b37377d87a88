import { expect, test } from 'vitest';
import { startTestLayer } from '../../support/layer.ts';
import { type StubAnswer, startStub } from '../../support/stub.ts';

const companyId = '5d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const id = '7d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const other = '8d115c9c-44e3-4a11-bb43-0a1c0f2b3d4e';
const record = (key: string) => ({ '@odata.etag': 'W/"1"', id: key, number: 'C1', displayName: 'Ada' });

/** Successes that are not that of a delete: pages of intermediaries, errors with status 200, lists. */
const answers: readonly (readonly [what: string, answer: StubAnswer])[] = [
  ['200 with an error', { body: { error: { code: 'Internal', message: 'No.' } } }],
  ['200 with a list', { body: { value: [] } }],
  ['200 with a page', { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }],
  ['200 with a text', { body: JSON.stringify('<html>Sign in</html>') }],
  ['201 without a body', { status: 201 }],
  ['205 without a body', { status: 205 }],
  ['226 without a body', { status: 226 }],
];

test.for(answers)(
  'a record that is still there is not deleted, though a DELETE is answered %s',
  async ([, answer]) => {
    const stub = await startStub(({ method }) => (method === 'DELETE' ? answer : { body: record(id) }));
    const layer = await startTestLayer(stub.url, { BUSINESS_COMPANY_ID: companyId });

    const { data } = await layer.query(
      `mutation { deleteCustomer(input: { id: "${id}", ifMatch: "*" }) { deletedId userErrors { code } } }`,
    );

    expect(data.deleteCustomer).toEqual({ deletedId: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] });
    await layer.stop();
    stub.stop();
  },
);

test.for(answers)(
  'a record that is gone is deleted, also if the DELETE is answered %s',
  async ([, answer]) => {
    const missing = { status: 404, body: { error: { code: 'Internal_RecordNotFound', message: 'None.' } } };
    const stub = await startStub(({ method, target }) => {
      if (method === 'DELETE') return answer;
      return target.includes(`customers(${id})`) ? missing : { body: { value: [] } };
    });
    const layer = await startTestLayer(stub.url, { BUSINESS_COMPANY_ID: companyId });

    const { data } = await layer.query(
      `mutation { deleteCustomer(input: { id: "${id}", ifMatch: "*" }) { deletedId userErrors { code } } }`,
    );

    expect(data.deleteCustomer).toEqual({ deletedId: id, userErrors: [] });
    expect(stub.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
    await layer.stop();
    stub.stop();
  },
);

test.for(answers)('nor is one of several, if its part is answered %s', async ([, { status = 200, body }]) => {
  const stub = await startStub(({ method, target }) => {
    if (target.endsWith('$batch'))
      return {
        body: {
          responses: [
            { id: '0', status, headers: {}, body },
            { id: '1', status: 204, headers: {} },
          ],
        },
      };
    if (method === 'DELETE') return { status: 500, body: {} };
    return { body: record(target.includes(other) ? other : id) };
  });
  const layer = await startTestLayer(stub.url, { BUSINESS_COMPANY_ID: companyId, WRITE_TIMEOUT_MS: '400' });

  const { data } = await layer.query(
    `mutation { batch(input: { entries: [
      { deleteCustomer: { id: "${id}", ifMatch: "*" } }, { deleteCustomer: { id: "${other}", ifMatch: "*" } }
    ] }) { results { deletedId userErrors { code } } } }`,
  );

  expect(data.batch.results).toEqual([
    { deletedId: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] },
    { deletedId: other, userErrors: [] },
  ]);
  await layer.stop();
  stub.stop();
});
