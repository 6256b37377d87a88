import { GraphQLError, type OperationDefinitionNode, parse } from 'graphql';
import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startDeadline } from '../../../../src/runtime/deadline.ts';
import type { Executor } from '../../../../src/server/execution/executor.ts';
import type { SerializedResponse } from '../../../../src/server/execution/responder.ts';
import { createResponder } from '../../../../src/server/execution/responder.ts';
import type { GraphqlRequest } from '../../../../src/server/guard/guard.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const document = parse('{ company { id } }');
const tokens = { business: 'token', management: null };
const requestOf = (requestId: string): GraphqlRequest => ({
  operationId: 1,
  rootFields: new Set(['company']),
  text: '',
  document,
  operation: document.definitions[0] as OperationDefinitionNode,
  variables: {},
  maxRows: 1,
  responseLimits: { maxRows: 100, maxBytes: 10_000 },
  maxAge: 0,
  caller: { requestId, tokens, verified: null, key: '127.0.0.1' },
});

/** A responder whose queries end only when their deadline expires. */
function hanging() {
  const begun: string[] = [];
  const ended: string[] = [];
  const executor: Executor = {
    execute: ({ caller: { requestId } }, deadline) =>
      new Promise((resolve) => {
        begun.push(requestId);
        deadline?.onExpire(() => {
          ended.push(requestId);
          const error = new GraphQLError('late', { extensions: { code: 'UPSTREAM_TIMEOUT', requestId } });
          resolve({ data: null, errors: [error] });
        });
      }),
    observeShared: () => () => {},
    subscribe: () => Promise.reject(new Error('no subscriptions')),
  };
  return { answers: createResponder(executor, pino({ level: 'silent' }), () => 0), begun, ended };
}

const idOf = ({ body }: SerializedResponse) => JSON.parse(String(body)).errors[0].extensions.requestId;

test('when the first request disconnects, the others wait until their own deadline', async () => {
  const { answers, begun, ended } = hanging();
  const [first, second] = [startDeadline(3_000), startDeadline(5_000)];
  const left = answers.respond(requestOf('first'), first);
  const told = vi.fn();
  const staying = answers.respond(requestOf('second'), second).then((answered) => {
    told();
    return answered;
  });
  first.end();
  expect(idOf(await left)).toBe('first');

  await vi.advanceTimersByTimeAsync(4_999);
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(told).toHaveBeenCalled();
  expect(idOf(await staying)).toBe('second');
  expect([begun, ended, second.isExpired]).toEqual([['first'], ['first'], true]);
  expect(vi.getTimerCount()).toBe(0);
});

test('when all requests disconnect, the query is cancelled at once', async () => {
  const { answers, ended } = hanging();
  const deadlines = [startDeadline(3_000), startDeadline(5_000)];
  const all = deadlines.map((deadline, at) => answers.respond(requestOf(String(at)), deadline));
  for (const deadline of deadlines) deadline.end();

  expect((await Promise.all(all)).map(idOf)).toEqual(['0', '1']);
  expect(ended).toEqual(['0']);
  expect(vi.getTimerCount()).toBe(0);
});

const request = withCaller(requestOf('r'), {});

function withCaller(given: GraphqlRequest, caller: Partial<GraphqlRequest['caller']>): GraphqlRequest {
  return { ...given, caller: { ...given.caller, tokens: { business: 'b', management: 'm' }, ...caller } };
}

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
  vi.useRealTimers();
  const deadlines = [startDeadline(1_000), startDeadline(1_000)] as const;
  const [one, other] = await Promise.all([
    responder.respond(first, deadlines[0]),
    responder.respond(second, deadlines[1]),
  ]);
  for (const deadline of deadlines) deadline.end();
  return { executions, isOneResponse: one === other };
}

test('the same query of the same caller at the same time is executed once, and has one response to compress', async () => {
  const again = withCaller(request, { requestId: 'another', tokens: { business: 'b', management: 'm' } });

  expect(await respondTo(request, again)).toEqual({ executions: 1, isOneResponse: true });
});

test.each([
  ['the business token', withCaller(request, { tokens: { business: 'other', management: 'm' } })],
  ['the management token', withCaller(request, { tokens: { business: 'b', management: 'other' } })],
  [
    'the management token, which is missing',
    withCaller(request, { tokens: { business: 'b', management: null } }),
  ],
  ['the language', withCaller(request, { language: 'de' })],
  ['the variables', { ...request, variables: { id: '2' } }],
  ['the operation', { ...request, operationId: 2 }],
])('a query that differs in %s is executed by itself', async (_what, other) => {
  expect(await respondTo(request, other)).toEqual({ executions: 2, isOneResponse: false });
});
