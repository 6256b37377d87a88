import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { type ControlRoutes, commandRoute, isCount, isOneOf } from '../json-checks.ts';

/**
 * People on the sign-in page. Any other name can sign in too. The prefix of a name decides its permissions, as
 * for any token, see `readCaller`; a `guest` does not consent to `user_impersonation`.
 */
export const people = ['ada', 'grace', 'reader', 'limited', 'guest', 'denied'] as const;

/** The scope of the document: the client acts for the person who signed in. */
export const impersonationScope = 'user_impersonation';

/** Scopes of OpenID Connect. They are accepted and ignored (gap: see docs/upstream.md). */
const ignoredScopes: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access']);

/** Parses scopes, without ignored ones. */
export const readScopes = (text: string): string[] =>
  text.split(' ').filter((scope) => scope !== '' && !ignoredScopes.has(scope));

/** True for `user_impersonation` of any service. */
export const isImpersonation = (scope: string): boolean => scopeName(scope) === impersonationScope;

/** The scopes that a person consents to, which can be fewer than requested (RFC 6749, section 3.3). */
export const consentedScopes = (name: string, scopes: readonly string[]): string[] =>
  scopes.filter((scope) => !name.startsWith('guest') || !isImpersonation(scope));

/** The service that a scope belongs to; undefined for a scope that names none. */
export function scopeService(scope: string): string | undefined {
  return scope.slice(0, Math.max(0, scope.lastIndexOf('/'))) || undefined;
}

const scopeName = (scope: string): string => scope.slice(scope.lastIndexOf('/') + 1);

/** What a token is issued for. */
export interface TokenGrant {
  /** The subject: a person, or a client that acts for itself. */
  readonly name: string;
  /** Scopes that the person consented to. Absent for a client that acts for itself. */
  readonly scopes?: readonly string[];
  readonly audience?: string | undefined;
}

/** The subject of a presented token. */
interface TokenBearer extends TokenGrant {
  /** Its claim `jti`. */
  readonly id: string;
  /** True when the token has expired, was revoked or was modified. */
  readonly isExpired: boolean;
}

/** Issues and reads tokens. A bearer token from elsewhere is accepted as it is; see `readCaller`. */
export type TokenService = ReturnType<typeof createTokenService>;

/** The client with a secret. */
export const serviceClient = { id: 'tributary', secret: 'sandbox-secret' };

/** The client without a secret: pages in a browser. */
export const publicClientId = 'explorer';

/** An application permission of the real service (gap: see docs/upstream.md). */
const serviceRoles = ['API.ReadWrite.All'];

const usualLifetimeMs = 3_600_000;
const maxIssuedTokens = 10_000;
const alg = 'ES256';

/** `url` returns the URL of the sandbox once it listens. */
export function createTokenService(url: () => string) {
  const issued = new Map<string, { readonly grant: TokenGrant; endsAt: number; token: string }>();
  const codes = createCodes();
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const kid = randomBytes(12).toString('base64url');
  const issuer = (): string => `${url()}/common`;
  let lifetimeMs = usualLifetimeMs;

  /** The subject of a token. Returns undefined when its issuer is not this service. */
  function read(text: string): TokenBearer | undefined {
    const { iss, jti } = claimsOf(text);
    if (iss !== issuer()) return undefined;
    const found = issued.get(String(jti));
    if (found?.token !== text) return { name: '', id: 'unknown', isExpired: true };
    return { ...found.grant, id: String(jti), isExpired: found.endsAt <= Date.now() };
  }

  return {
    codes,
    /** The public key of issued tokens as a JWK Set (RFC 7517). */
    jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg }] },
    /** Issues a JWT (RFC 7519), signed with ES256. */
    async issue(grant: TokenGrant) {
      const [now, id, expiresIn] = [Date.now(), randomBytes(18).toString('base64url'), lifetimeMs / 1_000];
      const claims = {
        iss: issuer(),
        aud: grant.audience ?? 'api://tributary',
        sub: grant.name,
        ...(grant.scopes ? { scp: grant.scopes.map(scopeName).join(' ') } : { roles: serviceRoles }),
        iat: Math.floor(now / 1_000),
        nbf: Math.floor(now / 1_000),
        // Rounded up, so never before the areas reject it.
        exp: Math.ceil(now / 1_000 + expiresIn),
        jti: id,
      };
      const header = { alg, typ: 'JWT', kid };
      const token = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
      issued.set(id, { grant, endsAt: now + expiresIn * 1_000, token });
      const [oldest = ''] = issued.keys();
      if (issued.size > maxIssuedTokens) issued.delete(oldest);
      return { token, expiresIn: Math.floor(expiresIn) };
    },
    /** Changes the lifetime of new tokens until the next `reset`. */
    setLifetime(changed: number): void {
      lifetimeMs = changed;
    },
    /** Revokes all tokens. */
    revoke(): void {
      for (const entry of issued.values()) entry.endsAt = 0;
    },
    read,
    /**
     * Replaces an issued token in the headers by `<name>~<id>`, so that all tokens of a subject are one
     * principal for the areas. The name is `expired` for an expired token and, with `needsImpersonation`,
     * `denied` for a token without that scope.
     */
    resolveAuthorization(headers: IncomingHttpHeaders, needsImpersonation: boolean): IncomingHttpHeaders {
      const bearer = read(/^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '');
      if (!bearer) return headers;
      const isDenied = needsImpersonation && bearer.scopes?.some(isImpersonation) === false;
      const name = bearer.isExpired ? 'expired' : isDenied ? 'denied' : bearer.name;
      return { ...headers, authorization: `Bearer ${name}~${bearer.id}` };
    },
    /** Restores the settings of the start. Issued tokens remain valid. */
    reset(): void {
      codes.clear();
      lifetimeMs = usualLifetimeMs;
    },
  };
}

/** Decodes the claims of a JWT without verification. Returns none for any other text. */
export function claimsOf(text: string): JWTPayload {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) return {};
  try {
    return decodeJwt(text);
  } catch {
    return {};
  }
}

/** What an authorization code was issued for (RFC 6749, section 4.1; RFC 7636). */
interface CodeGrant {
  /** As in the authorization request. */
  readonly redirectUri: string;
  /** The SHA-256 digest of the verifier, in base64url. */
  readonly challenge: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Authorization codes. */
function createCodes() {
  const codes = new Map<string, CodeGrant>();

  return {
    create(grant: CodeGrant): string {
      const code = randomBytes(32).toString('base64url');
      codes.set(code, grant);
      return code;
    },
    /** Returns the grant of a code once; undefined for a code that is unknown or used. */
    take(code: string): CodeGrant | undefined {
      const found = codes.get(code);
      codes.delete(code);
      return found;
    },
    clear: () => codes.clear(),
  };
}

export function isVerifierOf(verifier: string, challenge: string): boolean {
  const isVerifier = /^[\w.~-]{43,128}$/.test(verifier);
  return isVerifier && createHash('sha256').update(verifier).digest('base64url') === challenge;
}

/** Control route for issued tokens. */
export function tokenRoutes(tokens: TokenService): ControlRoutes {
  return {
    'POST /sandbox/tokens': commandRoute(
      'tokens',
      '{"lifetimeMs": 60000} sets the lifetime of new tokens, {"revoke": true} revokes all issued tokens.',
      { lifetimeMs: isCount, revoke: isOneOf(true) },
      ({ lifetimeMs, revoke }) => {
        if (lifetimeMs !== undefined) tokens.setLifetime(lifetimeMs);
        if (revoke) tokens.revoke();
      },
    ),
  };
}
