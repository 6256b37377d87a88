import { expect, test } from 'vitest';
import { sizeMutationAnswer } from '../../../../src/server/transports/mcp/mutation-answer-size.ts';

const record = {
  id: 'i',
  etag: 'e',
  name: 'n'.repeat(50),
  lines: Array.from({ length: 10 }, () => 'l'.repeat(20)),
  customer: { name: 'c'.repeat(50) },
};
const failure = { item: null, problems: [{ code: 'ALREADY_EXISTS', path: ['input', 'entries', '1'] }] };
const success = { item: record, problems: [] };
const answer = {
  data: { created: { results: [success, failure, success] }, single: { customer: record, userErrors: [] } },
};
const sizes = {
  whole: 10_000,
  'without lists and objects': 900,
  identifiers: 400,
  'failures alone': 210,
};
const reduce = (most: number) => sizeMutationAnswer(answer, most);

test.for([
  ['whole', record, null],
  ['without lists and objects', { id: 'i', etag: 'e', name: record.name }, /without their lists/],
  ['identifiers', { id: 'i', etag: 'e' }, /`id`, `etag`/],
] as const)('of a mutation, records are shown %s, and all results', ([step, shown, omitted]) => {
  const sized = reduce(sizes[step]);

  expect(sized.value).toEqual({
    data: {
      created: { results: [{ item: shown, problems: [] }, failure, { item: shown, problems: [] }] },
      single: { customer: shown, userErrors: [] },
    },
  });
  expect(JSON.parse(sized.text)).toEqual(sized.value);
  expect(sized.text.length).toBeLessThanOrEqual(sizes[step]);
  if (omitted) expect(sized.omitted).toMatch(omitted);
  else expect(sized.omitted).toBeNull();
});

test('results without errors are left out before those with errors, which keep their places', () => {
  expect(reduce(sizes['failures alone']).value).toMatchObject({
    data: { created: { results: [null, failure, null] }, single: { customer: { id: 'i' } } },
  });
});

test('errors that are too long themselves leave the data out, and the errors of GraphQL in', () => {
  const { value, omitted } = sizeMutationAnswer({ ...answer, errors: [{ message: 'm' }] }, 50);

  expect(value).toEqual({ errors: [{ message: 'm' }] });
  expect(omitted).toBe('All data is left out.');
  expect(sizeMutationAnswer({ data: null, errors: ['m'.repeat(100)] }, 50).text).toBe('{}');
});

test('the errors of a single change are kept', () => {
  const userErrors = [{ code: 'INVALID_INPUT', path: null, upstream: { code: 'x', more: 'y'.repeat(300) } }];
  const { value } = sizeMutationAnswer({ data: { update: { customer: record, userErrors } } }, 250);

  expect(value).toMatchObject({ data: { update: { userErrors: [{ code: 'INVALID_INPUT' }] } } });
});
