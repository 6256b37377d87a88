import type { Config } from '../../config/config.ts';
import type { DocumentLimits } from '../../server/guard/document-limits.ts';
import type { ServerLimits } from '../../server/server.ts';

/** The limits of documents, which cached documents keep. */
export const getDocumentLimits = (config: Config): DocumentLimits => ({
  maxTokens: config.MAX_TOKENS,
  maxDepth: config.MAX_DEPTH,
  maxAliases: config.MAX_ALIASES,
  maxDirectives: config.MAX_DIRECTIVES,
});

/** The limits of requests, connections and subscriptions. */
export const getServerLimits = (config: Config): ServerLimits => ({
  maxSockets: config.MAX_SOCKETS,
  maxSocketsPerCaller: config.MAX_SOCKETS_PER_CALLER,
  maxSubscriptions: config.MAX_SUBSCRIPTIONS,
  maxRequests: config.MAX_REQUESTS,
  maxRequestsPerCaller: config.MAX_REQUESTS_PER_CALLER,
  maxLoopDelayMs: config.MAX_LOOP_DELAY_MS,
});
