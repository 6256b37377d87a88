import { collectDefaultMetrics, Registry } from 'prom-client';
import type { UpstreamName } from '../errors.ts';
import type { UpstreamObserver } from '../http/call.ts';
import type { ServerObserver } from '../server/observer.ts';
import { createGraphMetrics, type GraphMetrics } from './graph-metrics.ts';
import { createInstruments } from './instruments.ts';
import { createUpstreamMetrics } from './upstream-metrics.ts';

/** The Prometheus metrics of one server. No label value comes from an upstream or a caller. */
export interface Metrics extends GraphMetrics, ServerObserver {
  forUpstream(upstream: UpstreamName): UpstreamObserver;
}

/** `isRedisConnected` is null without `REDIS_URL`. */
export function createMetrics(isRedisConnected: (() => boolean) | null): Metrics {
  const registry = new Registry();
  const tallies = createInstruments(registry);
  const ofProcess = getProcessRegistry();
  const ofGraph = createGraphMetrics(tallies);
  const ofUpstreams = createUpstreamMetrics(tallies);
  tallies.gauge(
    'tributary_redis_connected',
    'Whether Redis responds and accepts writes: 1 or 0. Absent without `REDIS_URL`.',
    () => (isRedisConnected ? [{ labels: {}, value: Number(isRedisConnected()) }] : []),
  );
  return {
    ...ofGraph,
    forUpstream: ofUpstreams,
    metricsContentType: registry.contentType,
    renderMetrics: async () => `${await registry.metrics()}\n${await ofProcess.metrics()}`,
  };
}

let processRegistry: Registry | undefined;

// Shared by all servers in a process: the default collectors describe the process and cannot be stopped.
function getProcessRegistry(): Registry {
  if (processRegistry) return processRegistry;
  processRegistry = new Registry();
  collectDefaultMetrics({ register: processRegistry });
  return processRegistry;
}
