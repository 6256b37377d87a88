import { expect } from 'vitest';
import { test } from '../../support/layer.ts';

test('every log line of a request has its id: failures and rejections', async ({ sandbox, layer }) => {
  const id = (requestId: string) => ({ 'x-request-id': requestId });
  await sandbox.fault({ path: 'customers', status: 403, times: 1 });
  await layer.query('{ company { customers { nodes { id } } } }', {}, id('of-what-failed'));
  await layer.query('{ nothing }', {}, id('of-what-was-refused'));

  const told = (requestId: string) => layer.linesOf(requestId).map(({ msg, code }) => [msg, code]);
  expect(told('of-what-failed')).toEqual([
    [undefined, 'FORBIDDEN'],
    ['operation', 'FORBIDDEN'],
  ]);
  expect(told('of-what-was-refused')).toEqual([['refused', 'GRAPHQL_VALIDATION_FAILED']]);
});

test('neither document, variables nor token are in any log line', async ({ layer }) => {
  await layer.query(
    'query Canary ($name: String!) { company { customers(filter: { city: { eq: $name } }) { nodes { id } } } }',
    { name: 'canary-of-a-value' },
  );
  await layer.query(
    '{ company { customers(filter: { city: { eq: "canary-of-a-literal" } }) { nodes { id } } } }',
  );

  const text = JSON.stringify(layer.lines());
  expect(text).toContain('"Canary"');
  expect(text).not.toMatch(/canary-of|totalCount|customers\(/);
});

test('the log line names client and version, where the name is none of markup or a token', async ({
  layer,
}) => {
  const ask = async (id: string, name: string) => {
    const names = { 'apollographql-client-name': name, 'apollographql-client-version': '1.2.0' };
    await layer.query('{ __typename }', {}, { ...names, 'x-request-id': id });
    return layer.linesOf(id)[0];
  };

  expect(await ask('of-shop', 'shop')).toMatchObject({ client: 'shop', clientVersion: '1.2.0' });
  for (const name of ['e'.repeat(65), '<b>shop</b>'])
    expect(await ask(`of-${name.length}`, name)).not.toHaveProperty('client');
});
