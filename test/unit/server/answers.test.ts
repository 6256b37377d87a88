import { GraphQLError, type OperationDefinitionNode, parse } from 'graphql';
import pino from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Answered, createAnswers } from '../../../src/server/answers.ts';
import type { Executor, Request } from '../../../src/server/executor.ts';
import { startDeadline } from '../../../src/upstream/deadline.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const document = parse('{ company { id } }');
const tokens = { business: 'token', management: null };
const requestOf = (requestId: string): Request => ({
  operationId: 1,
  text: '',
  document,
  operation: document.definitions[0] as OperationDefinitionNode,
  variables: {},
  rows: 1,
  caller: { requestId, tokens, verified: null, peerAddress: '127.0.0.1' },
});

/** Answers of an upstream that never answers: each query ends when nobody waits for it any more. */
function hanging() {
  const begun: string[] = [];
  const ended: string[] = [];
  const executor: Executor = {
    execute: ({ caller: { requestId } }, deadline) =>
      new Promise((resolve) => {
        begun.push(requestId);
        deadline?.onOver(() => {
          ended.push(requestId);
          const error = new GraphQLError('late', { extensions: { code: 'UPSTREAM_TIMEOUT', requestId } });
          resolve({ data: null, errors: [error] });
        });
      }),
    joined: () => () => {},
    subscribe: () => Promise.reject(new Error('no subscriptions')),
  };
  return { answers: createAnswers(executor, pino({ level: 'silent' })), begun, ended };
}

const idOf = ({ body }: Answered) => JSON.parse(String(body)).errors[0].extensions.requestId;

test('when the first has left, the others wait until its time is over, and no longer', async () => {
  const { answers, begun, ended } = hanging();
  const [first, second] = [startDeadline(3_000), startDeadline(5_000)];
  const left = answers.of(requestOf('first'), first);
  const told = vi.fn();
  const staying = answers.of(requestOf('second'), second).then((answered) => {
    told();
    return answered;
  });
  first.end();
  expect(idOf(await left)).toBe('first');

  await vi.advanceTimersByTimeAsync(2_999);
  expect(told).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);

  expect(told).toHaveBeenCalled();
  expect(idOf(await staying)).toBe('second');
  expect([begun, ended, second.isOver]).toEqual([['first'], ['first'], false]);
  second.end();
  expect(vi.getTimerCount()).toBe(0);
});

test('when all have left, it is given up at once', async () => {
  const { answers, ended } = hanging();
  const deadlines = [startDeadline(3_000), startDeadline(5_000)];
  const all = deadlines.map((deadline, at) => answers.of(requestOf(String(at)), deadline));
  for (const deadline of deadlines) deadline.end();

  expect((await Promise.all(all)).map(idOf)).toEqual(['0', '1']);
  expect(ended).toEqual(['0']);
  expect(vi.getTimerCount()).toBe(0);
});
