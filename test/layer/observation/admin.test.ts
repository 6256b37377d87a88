import { expect } from 'vitest';
import { testWith } from '../../support/layer.ts';

const test = testWith({}, { ADMIN_PORT: '0' });

test.for([
  ['GET', '/livez', 200, { isAlive: true }],
  ['GET', '/readyz', 200, { isReady: true, reasons: [] }],
  ['POST', '/readyz', 405, { error: 'Method Not Allowed' }],
  ['GET', '/', 404, { error: expect.stringContaining('/livez, /readyz, /metrics') }],
] as const)('the admin port answers %s %s with %i', async ([method, path, status, body], { layer }) => {
  const response = await fetch(layer.adminUrl + path, { method });

  expect(response.status).toBe(status);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(await response.json()).toEqual(body);
});

test('the admin port answers HEAD as GET, without a body', async ({ layer }) => {
  const response = await fetch(`${layer.adminUrl}/readyz`, { method: 'HEAD' });

  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

test('the paths of the admin port are not on the port of the graph', async ({ layer }) => {
  for (const path of ['/livez', '/readyz', '/metrics'])
    expect((await fetch(layer.url + path)).status).toBe(404);
});
