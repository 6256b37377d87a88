import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { DocumentLimits } from '../server/guard/document-limits.ts';
import type { Documents } from '../server/guard/documents.ts';
import { createGuard, type Guard, type GuardOptions } from '../server/guard/guard.ts';
import { createTokenVerifier } from '../server/guard/token-verification.ts';
import { createTrustedDocuments } from '../server/guard/trusted-documents.ts';
import { createConfiguredFetch } from './connect-upstreams.ts';

/** Creates the guard with the configured limits, scopes and token issuer. */
export function createConfiguredGuard(
  config: Config,
  documents: Documents,
  onRejected: NonNullable<GuardOptions['onRejected']>,
  log: Logger,
): Guard {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl } = config;
  return createGuard({
    documents,
    trustedDocuments: createTrustedDocuments(config.TRUSTED_DOCUMENTS ?? null),
    verifier:
      issuer && audience && jwksUrl
        ? createTokenVerifier({
            issuer,
            audience,
            jwksUrl,
            fetch: createConfiguredFetch(config),
            log,
          })
        : null,
    writeScopes: config.WRITE_SCOPES,
    operateScopes: config.OPERATE_SCOPES,
    managementScopes: getRequiredManagementScopes(config),
    responseLimits: { maxRows: config.MAX_COST, maxBytes: config.MAX_ANSWER_BYTES },
    onRejected,
  });
}

/** The scopes that a verified token needs for areas B and C. None if these areas have a separate token, which they check. */
export const getRequiredManagementScopes = (config: Config): readonly string[] => {
  const hasOwnToken = config.MANAGEMENT_TOKEN_HEADER !== 'authorization';
  const isVerifiedTokenUsed = !hasOwnToken || config.MANAGEMENT_AUTH === 'client-credentials';
  return isVerifiedTokenUsed ? config.MANAGEMENT_SCOPES : [];
};

/** The limits of documents. They are checked when a document enters the cache. */
export const getDocumentLimits = (config: Config): DocumentLimits => ({
  maxTokens: config.MAX_TOKENS,
  maxDepth: config.MAX_DEPTH,
  maxAliases: config.MAX_ALIASES,
  maxDirectives: config.MAX_DIRECTIVES,
});
