/** Values that no setting changes, at what was measured best or is safe for every deployment. Tests replace some of them. */
export const constants = {
  /** Whether a create may be retried with a client-supplied id: once the upstream is proven to keep ids. `off`: never. */
  BUSINESS_CHOSEN_IDS: 'auto' as 'auto' | 'off',
  /** How long a caller's reads go to the primary after its write. The minute is our choice: how far replicas are behind is not documented. */
  READ_AFTER_WRITE_SECONDS: 60,

  /**
   * Timeout of a query, with all its upstream calls and retries; callers shorten it by `x-request-timeout`. Nobody waits
   * longer for a page, and proxies and gateways give up after 30 or 60 s.
   */
  REQUEST_TIMEOUT_MS: 30_000,
  /** Of one write to an upstream. Longer than a query may take: the outcome of a write that times out is unknown. */
  WRITE_TIMEOUT_MS: 60_000,
  /** Of one upstream response, after decompression. A longer one would take the memory of other requests. */
  MAX_RESPONSE_BYTES: 32 * 1024 * 1024,
  /** Concurrent calls to each upstream: as many as there may be requests, so that no request with a slot waits for another. */
  UPSTREAM_CONNECTIONS: 200,
  /** How long an idle connection is reused: below the idle timeout of servers and proxies, 5 s for Node.js. */
  UPSTREAM_KEEP_ALIVE_MS: 4_000,
  /** Maximum age of a connection, so that connections follow a host name to its new addresses. */
  UPSTREAM_CONNECTION_SECONDS: 300,
  /** Concurrent calls of one caller to each upstream. The real service of area A runs five at once and queues the rest. */
  UPSTREAM_CALLS_PER_CALLER: 5,
  /** The quota of each caller at area A by dialect: that of the real service for each user. The source document has none. */
  UPSTREAM_QUOTA: { document: null, dynamics: { calls: 6_000, seconds: 300 } } as Readonly<
    Record<'document' | 'dynamics', { readonly calls: number; readonly seconds: number } | null>
  >,
  /** Attempts of a call that is safe to repeat. */
  UPSTREAM_ATTEMPTS: 3,
  /** Failures within ten seconds before the circuit breaker opens: fewer may be an accident. */
  UPSTREAM_BREAKER_FAILURES: 20,

  // Of a document, before it is validated or executed (docs/security.md).
  MAX_TOKENS: 2_000,
  MAX_DEPTH: 12,
  MAX_ALIASES: 30,
  MAX_DIRECTIVES: 50,
  /** Of one response. Measured with 2 to 16 MiB (docs/performance.md). */
  MAX_ANSWER_BYTES: 4 * 1024 * 1024,
  /** Concurrent requests of a process. They wait for upstreams; a process whose core is busy rejects by the next limit. */
  MAX_REQUESTS: 200,
  /** Event-loop delay, sustained for a second, above which requests are rejected (docs/decisions/shedding.md). */
  MAX_LOOP_DELAY_MS: 250,

  /** Open WebSockets and event streams (docs/scaling.md). */
  MAX_SOCKETS: 10_000,
  /** Those of one caller, which may be a gateway for many. */
  MAX_SOCKETS_PER_CALLER: 200,
  /** Subscriptions on one WebSocket. */
  MAX_SUBSCRIPTIONS: 50,

  /** First polling interval of a running operation, unless the upstream sends `Retry-After`. Operations take minutes. */
  OPERATION_POLL_MS: 2_000,
  /** Up to this the interval grows with each poll. */
  MAX_OPERATION_POLL_MS: 30_000,
  /** Polling interval of watched business records; a webhook tells changes sooner. */
  POLL_RECORDS_MS: 30_000,
  /** Polling interval of watched health events, and of watched lists of them. */
  POLL_HEALTH_MS: 30_000,

  /** How long the address of a file works: long enough for a page to show it, and short where it is passed on. */
  FILE_URL_SECONDS: 300,
  FILE_UPLOAD_MAX_BYTES: 10_000_000,
};

export type Constants = Readonly<typeof constants>;
