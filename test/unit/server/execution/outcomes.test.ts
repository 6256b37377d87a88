import { buildSchema, type OperationDefinitionNode, parse } from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { UpstreamError } from '../../../../src/errors.ts';
import { ResponseMeter } from '../../../../src/graph/response-meter.ts';
import { createExecutor } from '../../../../src/server/execution/executor.ts';
import type { GraphqlRequest } from '../../../../src/server/guard/guard.ts';
import type { OperationOutcome } from '../../../../src/server/observer.ts';

const fail = (upstream: 'business' | 'health', code: 'FORBIDDEN' | 'UPSTREAM_TIMEOUT') => () => {
  throw new UpstreamError(code, `${upstream} failed`, { upstream, delivery: 'rejected' });
};
const resolvers: Readonly<Record<string, () => unknown>> = {
  fine: () => 'a',
  bug: () => {
    throw new TypeError('a bug');
  },
  events: fail('health', 'UPSTREAM_TIMEOUT'),
  records: fail('business', 'FORBIDDEN'),
};

/** What an observer is told of the end of a query. */
async function outcomeOf(text: string): Promise<OperationOutcome | undefined> {
  const schema = buildSchema('type Query { fine: String bug: String events: String records: String }');
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {}))
    Object.assign(field, { resolve: resolvers[field.name] });
  const account = { reserve: () => true, release() {}, waitForTurn: () => Promise.resolve() };
  const limits = { maxRows: 100, maxBytes: 10_000 };
  let outcome: OperationOutcome | undefined;
  const executor = createExecutor({
    schema,
    createContext: () => ({}) as never,
    suggestsNames: false,
    createMeter: () => new ResponseMeter(limits, account, 1),
    log: pino({ level: 'silent' }),
    observer: {
      subscriptionStarted: () => () => {},
      operationStarted: () => ({
        observers: [],
        end(given) {
          outcome = given;
        },
      }),
    },
  });
  const document = parse(text);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const caller = { requestId: 'r-1', tokens: { business: null, management: null }, verified: null, key: 'a' };
  const request = { document, operation, variables: {}, maxRows: 1, responseLimits: limits, caller };
  await executor.execute(request as unknown as GraphqlRequest, null);
  return outcome;
}

test('the outcome of an operation has the code and the upstream of its first error', async () => {
  expect(await outcomeOf('{ fine events records }')).toEqual({
    code: 'UPSTREAM_TIMEOUT',
    reason: 'health failed',
    upstream: 'health',
  });
  expect(await outcomeOf('{ bug records }')).toMatchObject({
    code: 'INTERNAL_SERVER_ERROR',
    upstream: undefined,
  });
  expect(await outcomeOf('{ fine }')).toEqual({ code: 'OK' });
});
