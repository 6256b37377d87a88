import type { Logger } from 'pino';
import type { Config } from './config.ts';
import type { UpstreamName } from './errors.ts';
import type { Metrics } from './observation/metrics.ts';
import type { Pace } from './pace.ts';
import { type Client, createAbsentClient } from './upstream/client.ts';
import { createUpstream, type Upstream } from './upstream/upstream.ts';

export interface Connected {
  readonly client: Client;
  /** Null where there is nothing to look at. */
  readonly look: Upstream['look'] | null;
}

/** Each upstream by its settings; one without an address fails every call. */
export function connectUpstreams(
  config: Config,
  pace: Pace,
  metrics: Metrics | null,
  log: Logger,
): Readonly<Record<UpstreamName, Connected>> {
  const secrets = [config.BUSINESS_CLIENT_SECRET, config.MANAGEMENT_CLIENT_SECRET].filter(
    (secret) => secret !== undefined,
  );
  const connect = (upstream: UpstreamName, variable: 'BUSINESS_URL' | 'MANAGEMENT_URL'): Connected => {
    const url = config[variable];
    if (url === undefined) return { client: createAbsentClient(upstream, variable), look: null };
    const observer = metrics?.upstream(upstream);
    const { client, gate, look, state } = createUpstream({
      upstream,
      url,
      attempts: config.UPSTREAM_ATTEMPTS,
      readTimeoutMs: config.REQUEST_TIMEOUT_MS,
      writeTimeoutMs: config.WRITE_TIMEOUT_MS,
      maxResponseBytes: config.MAX_RESPONSE_BYTES,
      secrets,
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
    return { client, look };
  };
  return {
    business: connect('business', 'BUSINESS_URL'),
    instances: connect('instances', 'MANAGEMENT_URL'),
    health: connect('health', 'MANAGEMENT_URL'),
  };
}
