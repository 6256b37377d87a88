import { expect, test } from 'vitest';
import { createOriginCheck } from '../../../src/server/origins.ts';

const { isAllowed } = createOriginCheck(['https://app.example.com', 'http://localhost:3000']);
const host = 'graph.example.com:4000';

test.each([
  ['no page at all', undefined],
  ['an origin that is named', 'https://app.example.com'],
  ['an origin with a port that is named', 'http://localhost:3000'],
  ["the graph's own pages", `https://${host}`],
])('a request of %s is answered', (_who, origin) => {
  expect(isAllowed({ host, ...(origin !== undefined && { origin }) })).toBe(true);
});

test.each([
  'null',
  '',
  '*',
  'https://evil.example',
  'https://app.example.com.evil.example',
  'https://evil-app.example.com',
  'http://app.example.com',
  'https://app.example.com:444',
  'https://app.example.com/',
  'https://APP.example.com',
  'http://localhost',
  'http://localhost:3001',
  'https://graph.example.com',
  'graph.example.com:4000',
  'file://',
])('a request of a page of %s is not', (origin) => {
  expect(isAllowed({ host, origin })).toBe(false);
});

test('a request without a host is of no page of the graph', () => {
  expect(isAllowed({ origin: 'https://graph.example.com' })).toBe(false);
});
