import type { Logger } from 'pino';
import type { Config } from '../../config/config.ts';
import { derive, type Reloadable } from '../../runtime/reloadable.ts';
import type { Documents } from '../../server/guard/documents.ts';
import { createGuard, type Guard, type GuardOptions } from '../../server/guard/guard.ts';
import { createTokenVerifier } from '../../server/guard/token-verification.ts';
import { createTrustedDocuments } from '../../server/guard/trusted-documents.ts';
import { progressDocument } from '../../server/transports/mcp/progress-document.ts';
import { listPlaceClaims } from '../places.ts';
import { createConfiguredFetch } from '../proxies.ts';

interface ConfiguredGuards {
  readonly ofRequests: Guard;
  /** For MCP, which itself chooses documents of the manifest, and decides whether agents may send others. */
  readonly ofAgents: Guard;
}

/** The guards with the limits, scopes and token issuer of the settings. */
export function createConfiguredGuards(
  settings: Reloadable<Config>,
  documents: Reloadable<Documents>,
  onRejected: NonNullable<GuardOptions['onRejected']>,
  log: Logger,
): ConfiguredGuards {
  const config = settings.current;
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl } = config;
  const trusted = derive(
    settings,
    ({ TRUSTED_DOCUMENTS: mode, TRUSTED_DOCUMENTS_MANIFEST: manifest = {} }) => ({ mode, manifest }),
  );
  const shared = {
    documents,
    verifier:
      issuer && audience && jwksUrl
        ? createTokenVerifier({
            issuer,
            audience,
            jwksUrl,
            fetch: createConfiguredFetch(config),
            keptClaims: listPlaceClaims(config),
            log,
          })
        : null,
    writeScopes: config.WRITE_SCOPES,
    operateScopes: config.OPERATE_SCOPES,
    managementScopes: getRequiredManagementScopes(config),
    responseLimits: derive(settings, ({ MAX_COST: maxRows, MAX_ANSWER_BYTES: maxBytes }) => ({
      maxRows,
      maxBytes,
    })),
    onRejected,
  };
  return {
    ofRequests: createGuard({
      ...shared,
      trustedDocuments: derive(trusted, ({ mode, manifest }) =>
        createTrustedDocuments({ mode, manifest, log }),
      ),
    }),
    ofAgents: createGuard({
      ...shared,
      trustedDocuments: derive(trusted, ({ mode, manifest }) =>
        createTrustedDocuments({
          mode: mode === 'off' ? 'off' : 'prefer',
          manifest: { ...manifest, [progressDocument]: progressDocument },
          log,
        }),
      ),
    }),
  };
}

/** The scopes a verified token needs for areas B and C: none where they have a token of their own, which they check. */
export const getRequiredManagementScopes = (config: Config): readonly string[] => {
  const hasOwnToken = config.MANAGEMENT_TOKEN_HEADER !== 'authorization';
  const isVerifiedTokenUsed = !hasOwnToken || config.MANAGEMENT_AUTH === 'client-credentials';
  return isVerifiedTokenUsed ? config.MANAGEMENT_SCOPES : [];
};
