import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { UpstreamName } from './errors.ts';
import type { Metrics } from './observation/metrics.ts';
import type { Pace } from './pace.ts';
import { type Client, createAbsentClient } from './upstream/client.ts';
import { createUpstream } from './upstream/upstream.ts';

/** A client for each upstream, by its settings; one without an address fails every call. */
export function createClients(
  config: Config,
  pace: Pace,
  metrics: Metrics | null,
  log: Logger,
): Readonly<Record<UpstreamName, Client>> {
  const clientOf = (upstream: UpstreamName, variable: 'BUSINESS_URL' | 'MANAGEMENT_URL'): Client => {
    const url = config[variable];
    if (url === undefined) return createAbsentClient(upstream, variable);
    const observer = metrics?.upstream(upstream);
    const { client, gate, state } = createUpstream({
      upstream,
      url,
      attempts: config.UPSTREAM_ATTEMPTS,
      readTimeoutMs: config.REQUEST_TIMEOUT_MS,
      writeTimeoutMs: config.WRITE_TIMEOUT_MS,
      maxResponseBytes: config.MAX_RESPONSE_BYTES,
      connections: config.UPSTREAM_CONNECTIONS,
      callsOfCaller: config.UPSTREAM_CALLS_PER_CALLER,
      waitingOfCaller: config.UPSTREAM_WAITING_PER_CALLER,
      hasBreaker: config.UPSTREAM_BREAKER === 'on',
      onThrottled(caller, ms) {
        observer?.throttled();
        pace.tell(upstream, caller, ms);
      },
      onOutage(isOut) {
        if (isOut) observer?.leftAlone();
        log.warn(
          { upstream },
          isOut ? 'The upstream is left alone: it fails.' : 'The upstream is asked again.',
        );
      },
      observer,
      random: Math.random,
    });
    observer?.follow(state);
    pace.guide(upstream, gate);
    return client;
  };
  return {
    business: clientOf('business', 'BUSINESS_URL'),
    instances: clientOf('instances', 'MANAGEMENT_URL'),
    health: clientOf('health', 'MANAGEMENT_URL'),
  };
}
