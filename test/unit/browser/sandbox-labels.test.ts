import { expect, test } from 'vitest';
import {
  describeFault,
  describeStatus,
  formatKind,
  matchesFilter,
  shortenPath,
} from '../../../browser/sandbox/labels.js';

test.each([
  ['throttle', 'Throttle'],
  ['error500After', 'Error 500 after'],
  ['resetBefore', 'Reset before'],
  ['noEnvironment', 'No environment'],
])('the kind %s is labelled %s', (name, label) => {
  expect(formatKind(name)).toBe(label);
});

test.each([
  [{ times: 1 }, 'Next request'],
  [{ times: 3, method: 'PATCH', area: 'business' }, 'Next 3 PATCH requests to Business Records'],
  [{ times: 2, part: true, path: '/items' }, 'Next 2 parts of batches with /items in the path'],
  [{ times: 1, area: 'health', part: true }, 'Next part of a batch to Health Events'],
])('the fault %j is described as %s', (fault, description) => {
  expect(describeFault({ id: 1, ...fault })).toBe(description);
});

test.each([
  [{ status: 0, isPending: true }, 'Pending'],
  [{ status: 0, isPending: false }, 'No response'],
  [{ status: 412, isPending: false }, '412'],
])('the status of %j is shown as %s', (entry, word) => {
  expect(describeStatus(entry).word).toBe(word);
});

test('a path is shown with the beginning of each GUID', () => {
  expect(shortenPath('/companies(0e0f0986-928f-40d7-8834-d1910255a423)/items?$top=1')).toBe(
    '/companies(0e0f…)/items?$top=1',
  );
});

test('a filter matches all of its words, in any order and case', () => {
  expect(matchesFilter('GET /api/customers 200', '200 get')).toBe(true);
  expect(matchesFilter('GET /api/customers 200', 'get 404')).toBe(false);
  expect(matchesFilter('GET /api/customers 200', '')).toBe(true);
});
