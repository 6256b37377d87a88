import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { UpstreamName } from '../errors.ts';
import {
  type Access,
  type CallerIdentity,
  createForwardedAccess,
  createGrantedAccess,
} from '../http/auth/access.ts';
import { createPrincipalHasher } from '../http/auth/bearer.ts';
import { createTokenCache, type TokenCache } from '../http/auth/token-cache.ts';
import { createTokenEndpoint } from '../http/auth/token-endpoint.ts';
import type { Deadline } from '../runtime/deadline.ts';
import { getOrCompute } from '../runtime/memo.ts';
import type { Caller } from '../server/caller.ts';
import type { CallerTokens } from '../server/caller-tokens.ts';
import { createConfiguredFetch } from './connect-upstreams.ts';

/** The credentials for the upstreams of an area, according to `BUSINESS_AUTH` or `MANAGEMENT_AUTH`. */
export interface AreaCredentials {
  /** `deadline` is null for mutations and subscriptions. */
  forCaller(upstream: UpstreamName, caller: Caller, deadline: Deadline | null): Access;
  /** Tributary's own credentials; null without an OAuth client ID and secret. */
  forServer(upstream: UpstreamName): Access | null;
}

// Tokens obtained on behalf of callers are discarded after an hour without use.
const maxGrantedCallers = 10_000;
const grantedIdleMs = 3_600_000;

/** `secret` is the key of the HMACs that identify callers. Replicas share it. */
export function createAreaCredentials(
  config: Config,
  area: 'BUSINESS' | 'MANAGEMENT',
  secret: string,
  log: Pick<Logger, 'error'> | null = null,
): AreaCredentials {
  const principalOf = createPrincipalHasher(secret);
  const identities = new WeakMap<CallerTokens, CallerIdentity>();
  const endpoint = createAreaTokenEndpoint(config, area, (reason) =>
    log?.error({ area: area.toLowerCase(), reason }, 'The token endpoint refused this deployment a token.'),
  );
  const ownToken = endpoint && createTokenCache(endpoint.requestOwnToken);
  const grantedTokens = new LRUCache<string, TokenCache>({
    // Not `max`, which allocates memory for all entries at once.
    maxSize: maxGrantedCallers,
    sizeCalculation: () => 1,
    ttl: grantedIdleMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });
  const mode = config[`${area}_AUTH`];
  const tokenHeader = area === 'BUSINESS' ? 'authorization' : config.MANAGEMENT_TOKEN_HEADER;
  const isShared = mode === 'client-credentials';
  const ownPrincipal = principalOf('the layer');

  const identify = ({ tokens, verified }: Caller, token: string | null): CallerIdentity => {
    // Areas B and C may have a separate token, which is not verified here.
    const identity = verified && (isShared || token === tokens.business) ? verified : null;
    // The subject is unique and never reassigned within its issuer (OpenID Connect Core 1.0, section 5.7).
    const person = identity ? principalOf('caller', identity.issuer, identity.subject) : undefined;
    if (!isShared) return { principal: principalOf('token', token ?? ''), quotaKey: person, person };
    // All callers use the same token, so their verified identities keep them apart.
    return {
      principal: person ?? principalOf('unproven', token ?? ''),
      quotaKey: ownPrincipal,
      person,
      owner: identity && hash('sha256', JSON.stringify([identity.issuer, identity.subject]), 'base64url'),
    };
  };

  return {
    forServer: (upstream) => ownToken && createGrantedAccess(upstream, ownToken, { principal: ownPrincipal }),
    forCaller(upstream, caller, deadline) {
      const { tokens, language = null, clientRequestId = null } = caller;
      const token = area === 'BUSINESS' ? tokens.business : tokens.management;
      const request = { deadline, language, clientRequestId };
      // Equal tokens have equal verified claims.
      const identity = getOrCompute(identities, tokens, () => identify(caller, token));
      if (isShared && ownToken) return createGrantedAccess(upstream, ownToken, identity, request);
      if (mode === 'forward' || !endpoint || token === null)
        return createForwardedAccess(upstream, token, identity, request, tokenHeader);
      const cache =
        grantedTokens.get(identity.principal) ??
        createTokenCache(() => endpoint.requestTokenOnBehalfOf(token));
      grantedTokens.set(identity.principal, cache);
      return createGrantedAccess(upstream, cache, identity, request);
    },
  };
}

export function createAreaTokenEndpoint(
  config: Config,
  area: 'BUSINESS' | 'MANAGEMENT',
  onMisconfigured: (reason: string) => void,
) {
  const url = config[`${area}_TOKEN_URL`];
  const clientId = config[`${area}_CLIENT_ID`];
  const clientSecret = config[`${area}_CLIENT_SECRET`];
  if (!url || !clientId || !clientSecret) return null;
  return createTokenEndpoint({
    url,
    clientId,
    clientSecret,
    scope: config[`${area}_SCOPE`] ?? null,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
    fetch: createConfiguredFetch(config),
    settingNames: `${area}_CLIENT_ID, ${area}_CLIENT_SECRET and ${area}_SCOPE`,
    onMisconfigured,
  });
}
