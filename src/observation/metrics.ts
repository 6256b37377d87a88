import { collectDefaultMetrics, Registry } from 'prom-client';
import type { UpstreamName } from '../errors.ts';
import type { ServerObserver } from '../server/observer.ts';
import type { UpstreamObserver } from '../upstream/observer.ts';
import { createGraphMetrics, type GraphMetrics } from './graph-metrics.ts';
import { createTallies } from './tallies.ts';
import { createUpstreamMetrics } from './upstream-metrics.ts';

/** What one layer counts, as Prometheus reads it. No label holds what a caller or an upstream has made up. */
export interface Metrics extends GraphMetrics, ServerObserver {
  upstream(upstream: UpstreamName): UpstreamObserver;
}

export function createMetrics(): Metrics {
  const registry = new Registry();
  const tallies = createTallies(registry);
  const ofProcess = processMetrics();
  return {
    ...createGraphMetrics(tallies),
    upstream: createUpstreamMetrics(tallies),
    metricsType: registry.contentType,
    metrics: async () => `${await registry.metrics()}\n${await ofProcess.metrics()}`,
  };
}

let known: Registry | undefined;

// A process has one heap and one event loop, however many layers are in it, and what looks at them cannot be stopped.
function processMetrics(): Registry {
  if (known) return known;
  known = new Registry();
  collectDefaultMetrics({ register: known });
  return known;
}
