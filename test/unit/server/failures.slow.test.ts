import fc from 'fast-check';
import {
  buildSchema,
  GraphQLError,
  type GraphQLObjectType,
  type OperationDefinitionNode,
  parse,
} from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { ResponseMeter } from '../../../src/graph/response-meter.ts';
import { createExecutor } from '../../../src/server/execution/executor.ts';
import type { GraphqlRequest } from '../../../src/server/guard/guard.ts';

const secrets = [
  '/srv/tributary/src/layer.ts:17:4',
  'http://10.0.0.1:8080/api',
  'Bearer canary-token',
  'undici@7.30.2',
  "$filter=city eq 'Oslo'",
  'at Object.send (node:internal)',
  'UNAUTHENTICATED',
];
const message = 'Internal error at this field. The operators can find the cause by the requestId.';

/** Values that code may throw: bugs, errors of libraries, and values that are no errors. */
const thrown: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true }).map((value) => () => value),
  fc
    .tuple(fc.constantFrom(Error, TypeError, GraphQLError), fc.constantFrom(...secrets), fc.boolean())
    .map(([Kind, text, isRich]) => () => {
      const error = new Kind(text, { cause: new Error(text) } as object);
      const details = { code: text, url: text, extensions: { code: text, stack: text } };
      return isRich ? Object.defineProperties(error, Object.getOwnPropertyDescriptors(details)) : error;
    }),
  fc.constantFrom(...secrets).map((text) => () => new GraphQLError(text, { originalError: new Error(text) })),
  fc.constantFrom<() => unknown>(
    () => new AggregateError([new Error(secrets[0])], secrets[1]),
    () => Object.assign(new Error(secrets[0]), { extensions: null }),
    () => Object.defineProperty(new Error(), 'message', { get: () => secrets[2] }),
    () => Object.assign(new Error('x'), { toString: () => secrets[0], toJSON: () => secrets }),
  ),
);

const document = parse('{ plain sure { name } list { name count } late wrong } ');
const watching = parse('subscription { watched }');

/** An executor whose resolvers all throw `thrown`. */
function executorOf(throwIt: () => unknown, lines: string[]) {
  const schema = buildSchema(`
    type Query { plain: String sure: Thing list: [Thing] late: String wrong: Int }
    type Thing { name: String! count: Int! }
    type Subscription { watched: String }
  `);
  const fail = () => {
    throw throwIt();
  };
  const resolvers: Record<string, Record<string, unknown>> = {
    Query: {
      plain: fail,
      sure: () => ({}),
      list: async () => [{}, {}],
      late: async () => fail(),
      wrong: () => ({ secrets }),
    },
    Thing: { name: fail, count: async () => fail() },
    Subscription: { watched: fail },
  };
  for (const [type, fields] of Object.entries(resolvers))
    for (const [name, resolve] of Object.entries(fields))
      Object.assign((schema.getType(type) as GraphQLObjectType).getFields()[name] as object, { resolve });
  Object.assign(schema.getSubscriptionType()?.getFields().watched as object, {
    async *subscribe() {
      yield 1;
    },
  });
  const account = { reserve: () => true, release() {}, waitForTurn: () => Promise.resolve() };
  const createMeter = () => new ResponseMeter({ maxRows: 100, maxBytes: 10_000 }, account, 1);
  const log = pino({ level: 'debug' }, { write: (line) => void lines.push(line) });
  const createContext = () => ({}) as never;
  return createExecutor({ schema, createContext, suggestsNames: false, createMeter, log });
}

const requestOf = (of: typeof document): GraphqlRequest => ({
  operationId: 1,
  rootFields: new Set(['company']),
  text: '',
  document: of,
  operation: of.definitions[0] as OperationDefinitionNode,
  variables: {},
  maxRows: 1,
  responseLimits: { maxRows: 100, maxBytes: 10_000 },
  maxAge: 0,
  caller: {
    requestId: 'r-1',
    tokens: { business: null, management: null },
    verified: null,
    key: '127.0.0.1',
  },
});

function expectNothingTold(errors: readonly { toJSON(): unknown }[] | undefined): void {
  expect(errors?.length).toBeGreaterThan(0);
  for (const error of errors ?? []) {
    const { locations, path, ...told } = JSON.parse(JSON.stringify(error));
    expect(told).toEqual({ message, extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: 'r-1' } });
    expect(JSON.stringify([locations ?? [], path])).toMatch(/^[\w[\]{}":,]+$/);
  }
}

test('whatever a resolver throws, the caller is told a code, where it was, and the request id', async () => {
  await fc.assert(
    fc.asyncProperty(thrown, async (throwIt) => {
      const lines: string[] = [];
      const executor = executorOf(throwIt, lines);

      const { data, errors } = await executor.execute(requestOf(document), null);
      const events = await executor.subscribe(requestOf(watching));

      expect(data).toEqual({ plain: null, sure: null, list: [null, null], late: null, wrong: null });
      expectNothingTold(errors);
      for (const line of lines) expect(line).toContain('"level":50');
      for (const line of lines) expect(line).toContain('"requestId":"r-1"');
      if (!('next' in events)) return expectNothingTold(events.errors);
      expectNothingTold((await events.next()).value.errors);
    }),
    { numRuns: 100 },
  );
});
