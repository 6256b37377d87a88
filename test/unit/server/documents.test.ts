import { createHash } from 'node:crypto';
import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { createDocuments } from '../../../src/server/documents.ts';

const schema = buildSchema('type Query { a: Query, b: Int }');
const limits = { maxDepth: 12, maxAliases: 30, maxDirectives: 50 };
const documents = () => createDocuments({ schema, maxTokens: 100, introspection: true, ...limits });

test('an operation is proven once, and told again as it is', async () => {
  const { operation } = documents();

  const [first, together] = await Promise.all([operation('{ b }', null), operation('{ b }', null)]);

  expect(together).toBe(first);
  expect(await operation('{ b }', null)).toBe(first);
  expect(await operation('{  b }', null)).not.toBe(first);
});

test('a document is known by its hash while it is kept', async () => {
  const { operation, byHash } = documents();
  const hash = createHash('sha256').update('{ b }').digest('hex');

  expect(byHash(hash)).toBeUndefined();
  const { document } = await operation('{ b }', null);

  expect(byHash(hash)).toBe(document);
});

test('a document has 32 characters for each token it may have, and not one more', async () => {
  const { operation } = documents();

  expect(await operation('{ b }'.padEnd(3_200), null)).toBeDefined();
  await expect(operation('{ b }'.padEnd(3_201), null)).rejects.toMatchObject({
    code: 'QUERY_TOO_COMPLEX',
    faults: ['The document has 3201 characters; 3200 are taken at most.'],
  });
});

test('comments are not kept, wherever they stand', async () => {
  const { operation } = documents();

  const { document } = await operation('# one\n#two\n{ # three\n b } # four', null);

  const kinds: string[] = [];
  for (let token = document.loc?.startToken ?? null; token; token = token.next) kinds.push(token.kind);
  expect(kinds).toEqual(['<SOF>', '{', 'Name', '}', '<EOF>']);
  expect(document.loc?.endToken.prev?.kind).toBe('}');
});

test('500 new documents wait at most, and known ones never do', async () => {
  const { operation } = documents();
  const known = await operation('{ b }', null);

  const waiting = Array.from({ length: 500 }, (_, at) => operation(`query Q${at} { b }`, null));
  const refused = operation('query One { b }', null);
  const order: string[] = [];
  await Promise.all([
    ...waiting.map((one) => one.then(() => order.push('new'))),
    operation('{ b }', null).then((one) => {
      expect(one).toBe(known);
      order.push('known');
    }),
    expect(refused).rejects.toMatchObject({ code: 'OVERLOADED' }),
  ]);

  expect(order[0]).toBe('known');
  expect(await operation('query One { b }', null)).toBeDefined();
});

test('of a document with many operations few are kept, and all can be asked for', async () => {
  const { operation } = documents();
  const text = Array.from({ length: 20 }, (_, at) => `query Q${at} { b }`).join(' ');
  const first = await operation(text, 'Q0');

  for (let at = 1; at < 11; at++) await operation(text, `Q${at}`);

  const again = await operation(text, 'Q0');
  expect(again).not.toBe(first);
  expect(again.operation).toBe(first.operation);
});
