import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { badRequestError } from '../api-error.ts';
import { type ControlRoutes, emptyResponse } from '../http.ts';
import { readJsonObject } from '../json-checks.ts';
import { type Clients, createClients } from './clients.ts';
import { isImpersonation, scopeClaim } from './consent.ts';

/** The clients of the authorization server, and the claims and lifetime of its tokens. */
export interface TokenOptions {
  /** Secrets by client id. Default: `tributary` with `sandbox-secret`. */
  readonly clients?: Readonly<Record<string, string>>;
  /** Ids of public clients, such as pages in a browser. Default: `explorer`. */
  readonly publicClients?: readonly string[];
  /** Lifetime of a token. Default: an hour. */
  readonly lifetimeMs?: number;
  /** The claim `iss`. Default: `/sandbox/oauth2/v2.0` of the sandbox. */
  readonly issuer?: string;
  /** The claim `aud` when the scope has no service. Default: `api://tributary`. */
  readonly audience?: string;
}

/** What a token is issued for. */
export interface TokenGrant {
  /** The subject: a person, or a client that acts for itself. */
  readonly name: string;
  /** Scopes that the person consented to. Absent for a client that acts for itself. */
  readonly scopes?: readonly string[];
  readonly audience?: string | undefined;
  /** The authorization code it was exchanged for. */
  readonly code?: string;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresIn: number;
}

/** The subject of a presented token. */
export interface TokenBearer extends TokenGrant {
  /** Its claim `jti`. */
  readonly id: string;
  /** True when the token has expired, was revoked or was modified. */
  readonly isExpired: boolean;
}

/** Issues and reads tokens. A bearer token from elsewhere is accepted as it is; see `readCaller`. */
export interface TokenService {
  readonly clients: Clients;
  readonly codes: AuthorizationCodes;
  readonly keys: SigningKeys;
  /** Issues a JWT (RFC 7519). */
  issue(grant: TokenGrant): Promise<IssuedToken>;
  /** Changes the lifetime of new tokens until the next `reset`. */
  setLifetime(lifetimeMs: number): void;
  /** Revokes all tokens, or those of a code. */
  revoke(code?: string): void;
  /** The subject of a token. Returns undefined when its issuer is not this service. */
  read(text: string): TokenBearer | undefined;
  /**
   * Replaces an issued token in the headers by `<name>~<id>`, so that all tokens of a subject are one
   * principal for the areas. The name is `expired` for an expired token and, with `needsImpersonation`,
   * `denied` for a token without that scope.
   */
  resolveAuthorization(headers: IncomingHttpHeaders, needsImpersonation: boolean): IncomingHttpHeaders;
  /** Restores the settings of the start. Issued tokens remain valid. */
  reset(): void;
}

/** The default client with a secret. */
export const defaultClient = { id: 'tributary', secret: 'sandbox-secret' };

/** The default public client. */
export const defaultPublicClient = { id: 'explorer' };

/** Path of the authorization server, and of the issuer. */
export const issuerPath = '/sandbox/oauth2/v2.0';

/** An application permission of the real service (gap: see docs/upstream.md). */
const serviceRoles = ['API.ReadWrite.All'];

const maxIssuedTokens = 10_000;

/** `url` returns the URL of the sandbox once it listens. */
export function createTokenService(options: TokenOptions = {}, url: () => string = () => ''): TokenService {
  const { clients = { [defaultClient.id]: defaultClient.secret }, publicClients = [defaultPublicClient.id] } =
    options;
  const { lifetimeMs: usualMs = 3_600_000, audience: usualAudience = 'api://tributary' } = options;
  const issued = new Map<string, { readonly grant: TokenGrant; endsAt: number; token: string }>();
  const codes = createCodes();
  const keys = createSigningKeys();
  const issuer = (): string => options.issuer ?? url() + issuerPath;
  let lifetimeMs = usualMs;

  function read(text: string): TokenBearer | undefined {
    const { iss, jti } = claimsOf(text);
    if (iss !== issuer()) return undefined;
    const found = issued.get(String(jti));
    if (found?.token !== text) return { name: '', id: 'unknown', isExpired: true };
    return { ...found.grant, id: String(jti), isExpired: found.endsAt <= Date.now() };
  }

  return {
    clients: createClients(clients, publicClients),
    codes,
    keys,
    async issue(grant) {
      const [now, id, expiresIn] = [Date.now(), randomBytes(18).toString('base64url'), lifetimeMs / 1_000];
      const entry = { grant, endsAt: now + lifetimeMs, token: '' };
      // Registered before it is signed, so that its code can revoke it in the meantime.
      issued.set(id, entry);
      const [oldest = ''] = issued.keys();
      if (issued.size > maxIssuedTokens) issued.delete(oldest);
      entry.token = await keys.sign({
        iss: issuer(),
        aud: grant.audience ?? usualAudience,
        sub: grant.name,
        ...(grant.scopes ? { scp: scopeClaim(grant.scopes) } : { roles: serviceRoles }),
        iat: Math.floor(now / 1_000),
        nbf: Math.floor(now / 1_000),
        // Rounded up, so never before the areas reject it.
        exp: Math.ceil(now / 1_000 + expiresIn),
        jti: id,
      });
      return { token: entry.token, expiresIn: Math.floor(expiresIn) };
    },
    setLifetime(changed) {
      lifetimeMs = changed;
    },
    revoke(code) {
      for (const entry of issued.values()) {
        if (code === undefined || entry.grant.code === code) entry.endsAt = 0;
      }
    },
    read,
    resolveAuthorization(headers, needsImpersonation) {
      const bearer = read(/^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '');
      if (!bearer) return headers;
      const isDenied = needsImpersonation && bearer.scopes?.some(isImpersonation) === false;
      const name = bearer.isExpired ? 'expired' : isDenied ? 'denied' : bearer.name;
      return { ...headers, authorization: `Bearer ${name}~${bearer.id}` };
    },
    reset() {
      codes.clear();
      keys.reset();
      lifetimeMs = usualMs;
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
export interface CodeGrant {
  readonly clientId: string;
  /** As in the authorization request. */
  readonly redirectUri: string;
  /** The SHA-256 digest of the verifier, in base64url. */
  readonly challenge: string;
  readonly name: string;
  readonly scopes: readonly string[];
}

/** Authorization codes. */
export interface AuthorizationCodes {
  create(grant: CodeGrant): string;
  /**
   * Returns the grant of a code once. Later calls return `isUsed`. Returns undefined for an unknown or expired
   * code.
   */
  take(code: string): CodeGrant | 'isUsed' | undefined;
  clear(): void;
}

export const codeLifetimeMs = 60_000;

const maxCodes = 10_000;

export function createCodes(now: () => number = Date.now): AuthorizationCodes {
  const codes = new Map<string, { readonly grant: CodeGrant; readonly endsAt: number; isUsed: boolean }>();

  function forgetOld(): void {
    for (const [code, { endsAt }] of codes) {
      if (endsAt > now() && codes.size < maxCodes) return;
      codes.delete(code);
    }
  }

  return {
    create(grant) {
      forgetOld();
      const code = randomBytes(32).toString('base64url');
      codes.set(code, { grant, endsAt: now() + codeLifetimeMs, isUsed: false });
      return code;
    },
    take(code) {
      const found = codes.get(code);
      if (!found || found.endsAt <= now()) return undefined;
      if (found.isUsed) return 'isUsed';
      found.isUsed = true;
      return found.grant;
    },
    clear: () => codes.clear(),
  };
}

export function isChallenge(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

export function isVerifierOf(verifier: string, challenge: string): boolean {
  const isVerifier = /^[\w.~-]{43,128}$/.test(verifier);
  return isVerifier && createHash('sha256').update(verifier).digest('base64url') === challenge;
}

interface SigningKey {
  readonly id: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The keys that sign tokens, with ES256. */
export interface SigningKeys {
  /** Signs a token with these claims and the id of the key. */
  sign(claims: JWTPayload): Promise<string>;
  /** The public keys as a JWK Set (RFC 7517), the current key first. */
  jwks(): { readonly keys: readonly Readonly<Record<string, unknown>>[] };
  /** Replaces the current key. Previous keys remain published. */
  rotate(): void;
  /** Stops publishing previous keys. */
  forgetPrevious(): void;
  /** Restores the key of the start and removes all others. */
  reset(): void;
}

const alg = 'ES256';

function createSigningKeys(): SigningKeys {
  const first = createKey();
  let [inUse, former]: [SigningKey, SigningKey[]] = [first, []];

  return {
    sign: (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg, typ: 'JWT', kid: inUse.id }).sign(inUse.privateKey),
    jwks: () => ({
      keys: [inUse, ...former].map(({ id, publicKey }) => ({
        ...publicKey.export({ format: 'jwk' }),
        kid: id,
        use: 'sig',
        alg,
      })),
    }),
    rotate() {
      former = [inUse, ...former];
      inUse = createKey();
    },
    forgetPrevious() {
      former = [];
    },
    reset() {
      [inUse, former] = [first, []];
    },
  };
}

function createKey(): SigningKey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return { id: randomBytes(12).toString('base64url'), privateKey, publicKey };
}

/** Control route for issued tokens. */
export function tokenRoutes(tokens: TokenService): ControlRoutes {
  return {
    'POST /sandbox/tokens': {
      description:
        '{"lifetimeMs": 60000} sets the lifetime of new tokens, {"revoke": true} revokes all issued tokens, {"rotateKeys": true} replaces the signing key, {"forgetKeys": true} stops publishing previous keys.',
      handle(request) {
        applyTokenCommands(readJsonObject(request.body), tokens);
        return emptyResponse(204);
      },
    },
  };
}

const tokenCommands = ['revoke', 'rotateKeys', 'forgetKeys'];

function applyTokenCommands(
  { lifetimeMs, ...rest }: Readonly<Record<string, unknown>>,
  tokens: TokenService,
): void {
  const isLifetime = Number.isSafeInteger(lifetimeMs) && (lifetimeMs as number) >= 0;
  if (lifetimeMs !== undefined && !isLifetime)
    throw badRequestError("'lifetimeMs' must be an integer of at least 0.");
  for (const [name, value] of Object.entries(rest)) {
    if (!tokenCommands.includes(name))
      throw badRequestError(`Unknown field '${name}'. Fields: lifetimeMs, ${tokenCommands.join(', ')}.`);
    if (value !== true) throw badRequestError(`'${name}' must be true.`);
  }
  if (lifetimeMs !== undefined) tokens.setLifetime(lifetimeMs as number);
  if (rest.revoke) tokens.revoke();
  if (rest.rotateKeys) tokens.keys.rotate();
  if (rest.forgetKeys) tokens.keys.forgetPrevious();
}
