import { createHash } from 'node:crypto';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { createDocuments } from '../../../../src/server/guard/documents.ts';

const schema = buildSchema('type Query { a: Query, b: Int }');
const limits = { maxDepth: 12, maxAliases: 30, maxDirectives: 50 };
const documents = () => createDocuments({ schema, maxTokens: 100, introspection: true, ...limits });

test('a validated document keeps no text, which graphql-js would search for the location of every error', async () => {
  const { document } = await documents().getOrValidate('\n{ b }', null, 'caller');

  expect(document.loc?.source.body).toBe('');
});

test('a document is found by its hash while it is cached', async () => {
  const { getOrValidate, getByHash } = documents();
  const hash = createHash('sha256').update('{ b }').digest('hex');

  expect(getByHash(hash)).toBeUndefined();
  const { document } = await getOrValidate('{ b }', null, 'caller');

  expect(getByHash(hash)).toBe(document);
});

test('limits a document to 32 characters per allowed token', async () => {
  const { getOrValidate } = documents();

  expect(await getOrValidate('{ b }'.padEnd(3_200), null, 'caller')).toBeDefined();
  await expect(getOrValidate('{ b }'.padEnd(3_201), null, 'caller')).rejects.toMatchObject({
    code: 'QUERY_TOO_COMPLEX',
    errors: ['The document has 3201 characters; the limit is 3200.'],
  });
});

test('limits waiting documents to 500; cached ones never wait', async () => {
  const { getOrValidate } = documents();
  const known = await getOrValidate('{ b }', null, 'caller');

  const waiting = Array.from({ length: 500 }, (_, at) => getOrValidate(`query Q${at} { b }`, null, 'caller'));
  const refused = getOrValidate('query One { b }', null, 'caller');
  const order: string[] = [];
  await Promise.all([
    ...waiting.map((one) => one.then(() => order.push('new'))),
    getOrValidate('{ b }', null, 'caller').then((one) => {
      expect(one).toBe(known);
      order.push('known');
    }),
    expect(refused).rejects.toMatchObject({ code: 'OVERLOADED' }),
  ]);

  expect(order[0]).toBe('known');
  expect(await getOrValidate('query One { b }', null, 'caller')).toBeDefined();
});

test('caches few operations of one document, and all can be executed', async () => {
  const { getOrValidate } = documents();
  const text = Array.from({ length: 20 }, (_, at) => `query Q${at} { b }`).join(' ');
  const first = await getOrValidate(text, 'Q0', 'caller');

  for (let at = 1; at < 11; at++) await getOrValidate(text, `Q${at}`, 'caller');

  const again = await getOrValidate(text, 'Q0', 'caller');
  expect(again).not.toBe(first);
  expect(again.operation).toBe(first.operation);
});
