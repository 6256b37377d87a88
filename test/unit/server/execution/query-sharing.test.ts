import { type OperationDefinitionNode, parse } from 'graphql';
import pino from 'pino';
import { expect, test } from 'vitest';
import { startDeadline } from '../../../../src/runtime/deadline.ts';
import type { Executor } from '../../../../src/server/execution/executor.ts';
import { createResponder } from '../../../../src/server/execution/responder.ts';
import type { GraphqlRequest } from '../../../../src/server/guard/guard.ts';

const document = parse('query ($id: ID) { healthEvent(trackingId: $id) { title } }');

const request: GraphqlRequest = {
  operationId: 1,
  rootFields: new Set(['company']),
  text: '',
  document,
  operation: document.definitions[0] as OperationDefinitionNode,
  variables: { id: '1' },
  maxRows: 1,
  responseLimits: { maxRows: 100, maxBytes: 10_000 },
  maxAge: 0,
  caller: {
    requestId: 'r',
    tokens: { business: 'b', management: 'm' },
    verified: null,
    key: '127.0.0.1',
    language: 'en',
  },
};

const withCaller = (caller: Partial<GraphqlRequest['caller']>): GraphqlRequest => ({
  ...request,
  caller: { ...request.caller, ...caller },
});

/** How many times two requests at the same time are executed, and whether they get one response. */
async function respondTo(first: GraphqlRequest, second: GraphqlRequest) {
  let executions = 0;
  const executor: Executor = {
    async execute() {
      executions += 1;
      await new Promise(setImmediate);
      return { data: {} };
    },
    observeShared: () => () => {},
    subscribe: () => Promise.reject(new Error('no subscriptions')),
  };
  const responder = createResponder(executor, pino({ level: 'silent' }), () => 0);
  const deadlines = [startDeadline(1_000), startDeadline(1_000)] as const;
  const [one, other] = await Promise.all([
    responder.respond(first, deadlines[0]),
    responder.respond(second, deadlines[1]),
  ]);
  for (const deadline of deadlines) deadline.end();
  return { executions, isOneResponse: one === other };
}

test('the same query of the same caller at the same time is executed once, and has one response to compress', async () => {
  const again = withCaller({ requestId: 'another', tokens: { business: 'b', management: 'm' } });

  expect(await respondTo(request, again)).toEqual({ executions: 1, isOneResponse: true });
});

test.each([
  ['the business token', withCaller({ tokens: { business: 'other', management: 'm' } })],
  ['the management token', withCaller({ tokens: { business: 'b', management: 'other' } })],
  ['the management token, which is missing', withCaller({ tokens: { business: 'b', management: null } })],
  ['the language', withCaller({ language: 'de' })],
  ['the variables', { ...request, variables: { id: '2' } }],
  ['the operation', { ...request, operationId: 2 }],
])('a query that differs in %s is executed by itself', async (_what, other) => {
  expect(await respondTo(request, other)).toEqual({ executions: 2, isOneResponse: false });
});
