import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import type { Access } from '../../../src/http/auth/access.ts';
import { createUpstreamMetrics } from '../../../src/observation/metrics.ts';

test.each([
  [200, null, '2xx'],
  [200, 'UPSTREAM_BAD_RESPONSE', 'UPSTREAM_BAD_RESPONSE'],
  [304, null, '3xx'],
  [404, 'UPSTREAM_REJECTED', '4xx'],
  [503, 'UPSTREAM_UNAVAILABLE', '5xx'],
  [null, 'UPSTREAM_TIMEOUT', 'UPSTREAM_TIMEOUT'],
] as const)('an attempt with status %s and error %s counts as %s', async (status, code, outcome) => {
  const registry = new Registry();
  const metrics = createUpstreamMetrics([registry])('business');
  metrics.onAttemptEnd(
    { method: 'GET', path: '/', access: {} as Access },
    { status, code, upstreamRequestId: null },
    10,
  );

  const calls = registry.getSingleMetric('tributary_upstream_calls_total');
  const counted = (await calls?.get())?.values.filter(({ value }) => value > 0);
  expect(counted).toMatchObject([{ labels: { upstream: 'business', kind: 'read', outcome }, value: 1 }]);
});
