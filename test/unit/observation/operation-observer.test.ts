import { type OperationDefinitionNode, parse } from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createOperationObserver } from '../../../src/observation/operation-observer.ts';
import type { GraphqlRequest } from '../../../src/server/guard/guard.ts';

const requestOf = (text: string, more: object = {}): GraphqlRequest => {
  const document = parse(text);
  const operation = document.definitions[0] as OperationDefinitionNode;
  const caller = {
    requestId: 'r-1',
    tokens: { business: 'canary-token', management: null },
    verified: null,
    key: '127.0.0.1',
  };
  return {
    operationId: 1,
    rootFields: new Set(['company']),
    text,
    document,
    operation,
    variables: { name: 'canary-value' },
    maxRows: 1,
    responseLimits: { maxRows: 100, maxBytes: 10_000 },
    maxAge: 0,
    caller: { ...caller, ...more },
  };
};

function observing(level: 'warn' | 'info') {
  const lines: string[] = [];
  const log = pino({ level }, { write: (line) => void lines.push(line) });
  return {
    lines,
    observer: createOperationObserver({ metrics: null, tracing: null, showsReasons: false, log }),
  };
}

test('where neither metrics, traces nor the log ask for it, nothing follows a call', () => {
  const { lines, observer } = observing('warn');
  const running = observer.operationStarted(requestOf('query Named { companies { totalCount } }'));
  running.end({ code: 'OK' });

  expect(running.observers).toEqual([]);
  expect(lines).toEqual([]);
});

test('a line tells kind, name, code, time and calls, and nothing else of an operation', () => {
  const { lines, observer } = observing('info');
  const running = observer.operationStarted(
    requestOf('mutation Named ($name: String) { a(b: "canary-literal", c: $name) }'),
  );
  for (const watch of running.observers)
    for (const number of [1, 2]) watch.startAttempt('business', { method: 'GET' } as never, number, String);
  running.end({ code: 'FORBIDDEN', reason: 'canary-reason', upstreamCode: 'Authorization_RequestDenied' });

  const { time, pid, hostname, ...line } = JSON.parse(lines[0] ?? '');
  expect(line).toEqual({
    level: 40,
    requestId: 'r-1',
    kind: 'mutation',
    name: 'Named',
    code: 'FORBIDDEN',
    upstreamCode: 'Authorization_RequestDenied',
    ms: expect.any(Number),
    calls: 2,
    msg: 'operation',
  });
});

test('of a failure the line tells the upstream and its code, and of the error its reason only where that is shown', () => {
  const { lines, observer } = observing('info');
  observer
    .operationStarted(requestOf('{ a }'))
    .end({ code: 'UPSTREAM_TIMEOUT', upstream: 'health', reason: 'canary-reason' });

  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ code: 'UPSTREAM_TIMEOUT', upstream: 'health' });
  expect(lines[0]).not.toContain('canary');
});

test('the trace a caller names is in the line', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { lines, observer } = observing('info');
  observer.operationStarted(requestOf('{ a }', { traceparent })).end({ code: 'OK' });

  expect(JSON.parse(lines[0] ?? '').traceId).toBe('0af7651916cd43dd8448eb211c80319c');
});

test('the trace a caller names is passed on where no line is written, too', () => {
  const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
  const { observer } = observing('warn');
  const running = observer.operationStarted(requestOf('{ a }', { traceparent }));

  const sent = running.observers.map(
    (watch) => watch.startAttempt('health', { method: 'GET' } as never, 1, String).headers,
  );
  expect(sent).toEqual([{ traceparent }]);
});
