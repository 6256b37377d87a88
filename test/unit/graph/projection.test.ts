import {
  buildSchema,
  type GraphQLFieldMap,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { expect, test } from 'vitest';
import { createOperationPlans } from '../../../src/graph/operation-plans.ts';
import { ResponseMeter } from '../../../src/graph/response-meter.ts';

const schema = buildSchema(`
  type Query { rows: [Row!] other: Row }
  type Mutation { first: Row second: Row must: Row! }
  type Row { id: ID! name: String owner: Row late: Row kind: String }
`);
const fieldsOf = (type: string) =>
  (schema.getType(type) as GraphQLObjectType).getFields() as GraphQLFieldMap<unknown, unknown>;

type Resolve = (source: { readonly id: string }) => unknown;

/** Executes a document with these resolvers of `Row`, and tells the turns that it waits for. */
function start(
  source: string,
  rootValue: object,
  resolvers: Readonly<Record<string, Resolve>>,
  maxRows = 100_000,
) {
  for (const field of Object.values(fieldsOf('Row')))
    Object.assign(field, { resolve: resolvers[field.name] });
  const document = parse(source);
  const { projection } = createOperationPlans(schema)(
    document,
    document.definitions[0] as OperationDefinitionNode,
    {},
  );
  const turns: (() => void)[] = [];
  const waitForTurn = () => new Promise<void>((resolve) => turns.push(resolve));
  const account = { reserve: () => true, release() {}, waitForTurn };
  const meter = new ResponseMeter({ maxRows, maxBytes: 10_000_000 }, account, 1_000);
  return { result: projection.execute({ rootValue, context: {}, variables: {}, meter }), turns };
}

const rows = (count: number) => Array.from({ length: count }, (_, id) => ({ id: String(id) }));

test('resolvers of one level start together, before any of their values arrives, and those below when all have', async () => {
  const started: string[] = [];
  const resolvers = {
    owner: ({ id }: { id: string }) => {
      started.push(`owner ${id}`);
      return { id: `owner of ${id}` };
    },
    late: async ({ id }: { id: string }) => {
      started.push(`late ${id}`);
      return { id };
    },
  };
  const { result, turns } = start(
    '{ rows { late { id } owner { late { id } } } }',
    { rows: rows(2) },
    resolvers,
  );

  expect(started).toEqual(['late 0', 'owner 0', 'late 1', 'owner 1', 'late owner of 0', 'late owner of 1']);
  await expect.poll(() => turns.length).toBe(1);
  turns[0]?.();
  expect((await result).data).toEqual({
    rows: [0, 1].map((id) => ({ late: { id: String(id) }, owner: { late: { id: `owner of ${id}` } } })),
  });
});

test('values and errors of a long operation that arrive at once share turns of 1,000', async () => {
  const late = async ({ id }: { id: string }) => {
    if (Number(id) % 2 === 0) throw new Error('even');
    return { id };
  };
  const { result, turns } = start('{ rows { late { id } } }', { rows: rows(2_001) }, { late });

  for (let turn = 0; turn < 3; turn++) {
    await expect.poll(() => turns.length).toBe(turn + 1);
    turns[turn]?.();
  }
  const { data, errors } = await result;
  expect(data?.rows).toHaveLength(2_001);
  expect(errors).toHaveLength(1_001);
  expect(turns).toHaveLength(3);
});

test('a response of more rows than allowed ends before a resolver of its rows is called', async () => {
  let calls = 0;
  const late = () => {
    calls += 1;
  };

  await expect(start('{ rows { late { id } } }', { rows: rows(11) }, { late }, 10).result).rejects.toThrow(
    'more than 10 rows',
  );
  expect(calls).toBe(0);
});

test('a response of more bytes than allowed ends, though no object follows the text that is too long', async () => {
  const row = { id: '1', name: 'x'.repeat(10_000_001) };

  await expect(start('{ other { id name } }', { other: row }, {}).result).rejects.toThrow(
    'larger than 10000000 bytes',
  );
});

test('the fields of a mutation are executed one after another, each with what is selected below it', async () => {
  const started: string[] = [];
  for (const name of ['first', 'second'])
    Object.assign(fieldsOf('Mutation')[name] as object, {
      resolve: async () => {
        started.push(name);
        return { id: name };
      },
    });
  const late = async ({ id }: { id: string }) => {
    started.push(`late of ${id}`);
    return { id };
  };
  const { result, turns } = start('mutation { first { late { id } } second { late { id } } }', {}, { late });

  for (let turn = 0; turn < 4; turn++) {
    await expect.poll(() => turns.length).toBe(turn + 1);
    turns[turn]?.();
  }
  await result;
  expect(started).toEqual(['first', 'late of first', 'second', 'late of second']);
});
