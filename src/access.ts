import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Config } from './config.ts';
import type { UpstreamName } from './errors.ts';
import type { Caller, Tokens } from './server/caller.ts';
import { type Access, forwarded, granted } from './upstream/access.ts';
import { createPrincipals } from './upstream/auth.ts';
import type { Deadline } from './upstream/deadline.ts';
import { type HeldToken, holdToken } from './upstream/held-token.ts';
import { createTokenEndpoint } from './upstream/token-endpoint.ts';

/** In whose name the upstreams of an area are asked, by its settings. */
export interface Accesses {
  /** `deadline` is until when answers are waited for; null where nobody waits. */
  of(upstream: UpstreamName, caller: Caller, deadline: Deadline | null): Access;
  /** The layer's own, whoever calls; null where it has no id and secret. */
  own(upstream: UpstreamName): Access | null;
}

// A caller who was away for longer is given another token.
const maxCallers = 10_000;
const idleMs = 3_600_000;

/** `secret` makes the names that keep callers apart, the same on every replica. */
export function createAccesses(config: Config, area: 'BUSINESS' | 'MANAGEMENT', secret: string): Accesses {
  const principalOf = createPrincipals(secret);
  const principals = new WeakMap<Tokens, string>();
  const endpoint = endpointOf(config, area);
  const ownToken = endpoint && holdToken(endpoint.forItself);
  const inTheirNames = new LRUCache<string, HeldToken>({
    max: maxCallers,
    ttl: idleMs,
    ttlAutopurge: true,
    updateAgeOnGet: true,
  });
  const mode = config[`${area}_AUTH`];
  const pace = principalOf('the layer');

  return {
    own: (upstream) => ownToken && granted(upstream, ownToken, { principal: pace }),
    of(upstream, { tokens, verified, place: listener = null }, deadline) {
      const token = area === 'BUSINESS' ? tokens.business : tokens.management;
      const verifiedAs = verified && `${verified.issuer} ${verified.subject}`;
      if (mode === 'client-credentials' && ownToken) {
        // The upstream takes all callers for one: what keeps them apart is who they are, where that is proven.
        if (!verified)
          return granted(upstream, ownToken, {
            principal: principalOf('unproven', token ?? ''),
            pace,
            deadline,
            listener,
          });
        const { issuer, subject } = verified;
        const owner = createHash('sha256')
          .update(JSON.stringify([issuer, subject]))
          .digest('base64url');
        const principal = principalOf('caller', issuer, subject);
        return granted(upstream, ownToken, { principal, pace, verifiedAs, owner, deadline, listener });
      }
      let principal = principals.get(tokens);
      if (principal === undefined) {
        principal = principalOf('token', token ?? '');
        principals.set(tokens, principal);
      }
      if (mode === 'forward' || !endpoint || token === null)
        return forwarded(upstream, token, principal, { deadline, verifiedAs, listener });
      const held = inTheirNames.get(principal) ?? holdToken(() => endpoint.onBehalfOf(token));
      inTheirNames.set(principal, held);
      return granted(upstream, held, { principal, verifiedAs, deadline, listener });
    },
  };
}

function endpointOf(config: Config, area: 'BUSINESS' | 'MANAGEMENT') {
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
  });
}
