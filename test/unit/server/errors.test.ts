import { GraphQLError, parse } from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { InputError, UpstreamError } from '../../../src/errors.ts';
import { presentErrors } from '../../../src/server/errors.ts';

const present = (...errors: readonly GraphQLError[]) => {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ level: 'info', base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  return { shown: presentErrors(errors, 'r-1', log), lines };
};
const failed = (originalError: Error, ...path: readonly (string | number)[]) =>
  new GraphQLError(originalError.message, { path, originalError });
const upstreamError = (status: number) =>
  new UpstreamError('FORBIDDEN', 'not allowed', { upstream: 'business', delivery: 'rejected', status });

test('an internal error shows the caller only the request id, and logs everything', () => {
  const cause = new TypeError('cannot read x of http://10.0.0.1');

  const { shown, lines } = present(failed(cause, 'company', 'name'));

  expect(shown.map((one) => one.toJSON())).toEqual([
    {
      message: expect.stringContaining('requestId'),
      path: ['company', 'name'],
      extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: 'r-1' },
    },
  ]);
  expect(JSON.stringify(shown)).not.toContain('10.0.0.1');
  expect(lines[0]).toMatchObject({ requestId: 'r-1', err: { message: cause.message } });
});
test.each([
  [
    'an error of a library, which has a code',
    Object.assign(new Error('10.0.0.1'), { extensions: { code: '10.0.0.1' } }),
  ],
  ['an error without extensions', Object.assign(new Error('10.0.0.1'), { extensions: null })],
  [
    'a GraphQL error of another server',
    new GraphQLError('10.0.0.1', { extensions: { code: 'UNAUTHENTICATED' } }),
  ],
])('%s is an internal error, too', (_what, cause) => {
  const { shown } = present(failed(cause, 'company'));

  expect(shown[0]?.extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', requestId: 'r-1' });
  expect(JSON.stringify(shown)).not.toContain('10.0.0.1');
});

test('one line is logged for each kind of failure, with the path of the first and their number', () => {
  const bug = new TypeError('a bug');

  const { shown, lines } = present(
    failed(upstreamError(403), 'a', 0),
    failed(bug, 'b', 0),
    failed(upstreamError(403), 'a', 1),
    failed(upstreamError(401), 'a', 2),
    failed(bug, 'b', 1),
    failed(bug, 'b', 2),
  );

  expect(shown.map(({ path }) => path?.join(' '))).toEqual(['a 0', 'b 0', 'a 1', 'a 2', 'b 1', 'b 2']);
  expect(lines.map(({ status, err, path, times }) => [status ?? err, path, times])).toEqual([
    [403, ['a', 0], 2],
    [expect.objectContaining({ message: 'a bug' }), ['b', 0], 3],
    [401, ['a', 2], undefined],
  ]);
});

test('an error has the locations of its first ten fields, and the text is not searched for them', () => {
  const document = parse(`${'\n'.repeat(7)}{ ${'a '.repeat(12)}}`);
  const [operation] = document.definitions;
  const nodes = operation?.kind === 'OperationDefinition' ? operation.selectionSet.selections : [];
  const error = new GraphQLError('bad', { nodes, path: ['a'], originalError: new InputError('bad') });
  if (document.loc) document.loc.source.body = '';

  const { shown } = present(error);

  expect(shown[0]?.toJSON().locations).toEqual(
    Array.from({ length: 10 }, (_, index) => ({ line: 8, column: 3 + 2 * index })),
  );
});
