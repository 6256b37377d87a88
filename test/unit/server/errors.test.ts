import { GraphQLError } from 'graphql';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { presentError } from '../../../src/server/errors.ts';

test('an internal error shows the caller only the request id, and logs everything', () => {
  const lines: string[] = [];
  const log = pino({ level: 'error' }, { write: (line) => void lines.push(line) });
  const cause = new TypeError('cannot read x of http://10.0.0.1');
  const error = new GraphQLError(cause.message, { path: ['company', 'name'], originalError: cause });

  const shown = presentError(error, 'r-1', log);

  expect(shown.toJSON()).toEqual({
    message: expect.stringContaining('requestId'),
    path: ['company', 'name'],
    extensions: { code: 'INTERNAL_SERVER_ERROR', requestId: 'r-1' },
  });
  expect(JSON.stringify(shown)).not.toContain('10.0.0.1');
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ requestId: 'r-1', err: { message: cause.message } });
});
