import { expect, test } from 'vitest';
import { createOriginCheck, isLocalHost } from '../../../../src/server/transports/origins.ts';

const { isAllowed } = createOriginCheck({
  origins: ['https://app.example.com', 'http://localhost:3000'],
  publicOrigin: 'https://public.example.com',
});
const host = 'graph.example.com:4000';

test.each([
  ['no page at all', undefined],
  ['an origin that is named', 'https://app.example.com'],
  ['an origin with a port that is named', 'http://localhost:3000'],
  ["the graph's own pages", `https://${host}`],
  ["the graph's own pages behind a proxy that changes the host", 'https://public.example.com'],
])('allows a request of %s', (_who, origin) => {
  expect(isAllowed({ host, ...(origin !== undefined && { origin }) })).toBe(true);
});

test.each([
  'null',
  'https://app.example.com.evil.example',
  'http://app.example.com',
  'https://app.example.com:444',
  'https://graph.example.com',
  'https://public.example.com:8443',
])('rejects a request of a page of %s', (origin) => {
  expect(isAllowed({ host, origin })).toBe(false);
});

test('a request without a host is not same-origin', () => {
  expect(isAllowed({ origin: 'https://graph.example.com' })).toBe(false);
});

test.each([
  ['localhost', true],
  ['LOCALHOST:4000', true],
  ['127.0.0.1:4000', true],
  ['[::1]:4000', true],
  ['localhost.evil.example', false],
  ['127.0.0.1.evil.example:4000', false],
])('a request for the host %s is for this machine: %s', (name, isLocal) => {
  expect(isLocalHost({ host: name })).toBe(isLocal);
});
