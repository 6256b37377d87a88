/** Values that are no settings: measured to be best, or safe for every deployment. Tests replace some of them. */
export const constants = {
  /** Whether creates get client-supplied ids. `auto`: unless the entity set is known not to keep them. `off`: never. */
  BUSINESS_CHOSEN_IDS: 'auto' as 'auto' | 'off',
  /** How long a caller's reads go to the primary after its write. A guess: the upstream does not document its replication lag. */
  READ_AFTER_WRITE_SECONDS: 60,

  /**
   * Timeout of a query, including all upstream calls and retries. Callers can shorten it by `x-request-timeout`. Users wait no
   * longer for a page, and proxies and gateways time out after 30 or 60 s.
   */
  REQUEST_TIMEOUT_MS: 30_000,
  /** Timeout of one write to an upstream. Longer than that of a query, because a write that times out has an unknown outcome. */
  WRITE_TIMEOUT_MS: 60_000,
  /** Maximum size of one upstream response, after decompression. */
  MAX_RESPONSE_BYTES: 32 * 1024 * 1024,
  /** Concurrent calls to each upstream. Equals `MAX_REQUESTS`, so that no admitted request waits for another. */
  UPSTREAM_CONNECTIONS: 200,
  /** How long an idle connection is reused. Below the idle timeout of servers and proxies, which is 5 s for Node.js. */
  UPSTREAM_KEEP_ALIVE_MS: 4_000,
  /** Maximum age of a connection, so that connections follow a host name to its new addresses. */
  UPSTREAM_CONNECTION_SECONDS: 300,
  /** Concurrent calls of one caller to each upstream. The real service of area A executes five at once and queues more. */
  UPSTREAM_CALLS_PER_CALLER: 5,
  /** Quota of one caller at area A, by dialect: the real service has one for each user, the source document none. */
  UPSTREAM_QUOTA: { document: null, dynamics: { calls: 6_000, seconds: 300 } } as Readonly<
    Record<'document' | 'dynamics', { readonly calls: number; readonly seconds: number } | null>
  >,
  /** Attempts of a call that is safe to repeat. */
  UPSTREAM_ATTEMPTS: 3,
  /** Minimum number of failures within ten seconds that opens the circuit breaker. Fewer are not significant. */
  UPSTREAM_BREAKER_FAILURES: 20,

  // Limits of a document, checked before validation (docs/security.md).
  MAX_TOKENS: 2_000,
  MAX_DEPTH: 12,
  MAX_ALIASES: 30,
  MAX_DIRECTIVES: 50,
  /** Maximum size of one response. Measured with 2 to 16 MiB (docs/performance.md). */
  MAX_ANSWER_BYTES: 4 * 1024 * 1024,
  /** Concurrent requests of a process, most of which wait for upstreams. If the CPU is busy, the next limit rejects requests. */
  MAX_REQUESTS: 200,
  /** Event-loop delay, sustained for a second, above which requests are rejected (docs/decisions/shedding.md). */
  MAX_LOOP_DELAY_MS: 250,

  /** Open WebSockets and event streams (docs/scaling.md). */
  MAX_SOCKETS: 10_000,
  /** WebSockets and event streams of one caller, which may be a gateway for many users. */
  MAX_SOCKETS_PER_CALLER: 200,
  /** Subscriptions on one WebSocket. */
  MAX_SUBSCRIPTIONS: 50,

  /** First polling interval of a running operation, unless the upstream sends `Retry-After`. Operations take minutes. */
  OPERATION_POLL_MS: 2_000,
  /** The interval grows with each poll, up to this maximum. */
  MAX_OPERATION_POLL_MS: 30_000,
  /** Polling interval of watched business records. Webhooks report changes sooner. */
  POLL_RECORDS_MS: 30_000,
  /** Polling interval of watched health events, and of watched lists of them. */
  POLL_HEALTH_MS: 30_000,

  /** Lifetime of a file's URL: long enough for a page to show the file, and short in case the URL leaks. */
  FILE_URL_SECONDS: 300,
  FILE_UPLOAD_MAX_BYTES: 10_000_000,
};

export type Constants = Readonly<typeof constants>;
