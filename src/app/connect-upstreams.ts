import type { Logger } from 'pino';
import { businessErrorRules } from '../business/record-sets/error-rules.ts';
import type { Config } from '../config/config.ts';
import type { UpstreamName } from '../errors.ts';
import type { UpstreamClient } from '../http/client.ts';
import type { SharedCallQuota } from '../http/resilience/call-quota.ts';
import { createUnconfiguredClient, createUpstream, type Upstream } from '../http/upstream.ts';
import { createOutboundFetch, type OutboundFetch } from '../http/wire/outbound-fetch.ts';
import { createFindProxy, type FindProxy } from '../http/wire/proxy.ts';
import type { Metrics } from '../observation/metrics.ts';
import type { SharedThrottling } from './replicas.ts';

export interface ConnectedUpstream {
  readonly client: UpstreamClient;
  /** Null without a URL. */
  readonly snapshot: Upstream['snapshot'] | null;
}

/** Creates the client of each upstream. A client without a URL fails every call. */
export function connectUpstreams(
  config: Config,
  throttling: SharedThrottling | null,
  sharedQuota: SharedCallQuota | null,
  metrics: Metrics | null,
  log: Logger,
): Readonly<Record<UpstreamName, ConnectedUpstream>> {
  const { UPSTREAM_CLIENT_CERT_FILE: cert, UPSTREAM_CLIENT_KEY_FILE: key } = config;
  const { BUSINESS_CLIENT_SECRET, MANAGEMENT_CLIENT_SECRET } = config;
  const secrets = [BUSINESS_CLIENT_SECRET, MANAGEMENT_CLIENT_SECRET].filter((secret) => secret !== undefined);
  const findProxy = createConfiguredFindProxy(config);
  const clientCertificate = cert === undefined || key === undefined ? null : { cert, key };
  const connect = (
    upstream: UpstreamName,
    variable: 'BUSINESS_URL' | 'MANAGEMENT_URL',
  ): ConnectedUpstream => {
    const url = config[variable];
    if (url === undefined) return { client: createUnconfiguredClient(upstream, variable), snapshot: null };
    const observer = metrics?.forUpstream(upstream);
    const { client, rateLimiter, snapshot, getState } = createUpstream({
      upstream,
      url,
      maxAttempts: config.UPSTREAM_ATTEMPTS,
      readTimeoutMs: config.REQUEST_TIMEOUT_MS,
      writeTimeoutMs: config.WRITE_TIMEOUT_MS,
      maxResponseBytes: config.MAX_RESPONSE_BYTES,
      wire: {
        maxConnectionAgeMs: config.UPSTREAM_CONNECTION_SECONDS * 1000,
        proxy: findProxy(url),
        clientCertificate,
      },
      secrets,
      clientRequestIdHeader: upstream === 'business' ? 'client-request-id' : 'x-ms-client-request-id',
      errorRules: upstream === 'business' ? businessErrorRules : [],
      maxCalls: config.UPSTREAM_CONNECTIONS,
      keepAliveMs: config.UPSTREAM_KEEP_ALIVE_MS,
      maxCallsPerCaller: config.UPSTREAM_CALLS_PER_CALLER,
      quota: upstream === 'business' ? config.UPSTREAM_QUOTA[config.BUSINESS_DIALECT] : null,
      sharedQuota,
      minBreakerFailures: config.UPSTREAM_BREAKER_FAILURES,
      onThrottled(quotaKey, ms) {
        observer?.onThrottled();
        throttling?.publish(upstream, quotaKey, ms);
      },
      onBreakerChange(isOpen) {
        if (isOpen) observer?.onBreakerOpen();
        log.warn({ upstream }, isOpen ? 'Circuit breaker opened.' : 'Circuit breaker closed.');
      },
      observer,
    });
    observer?.registerState(getState);
    throttling?.addRateLimiter(upstream, rateLimiter);
    return { client, snapshot };
  };
  return {
    business: connect('business', 'BUSINESS_URL'),
    instances: connect('instances', 'MANAGEMENT_URL'),
    health: connect('health', 'MANAGEMENT_URL'),
  };
}

const createConfiguredFindProxy = (config: Config): FindProxy =>
  createFindProxy({
    httpsProxy: config.HTTPS_PROXY,
    httpProxy: config.HTTP_PROXY,
    noProxy: config.NO_PROXY,
  });

/** Fetches from token endpoints and key sets, through the configured proxy. */
export const createConfiguredFetch = (config: Config): OutboundFetch =>
  createOutboundFetch(createConfiguredFindProxy(config));
