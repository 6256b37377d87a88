import { randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { decodeJwt, type JWTPayload } from 'jose';
import { type Clients, createClients } from './clients.ts';
import { type Codes, createCodes } from './codes.ts';
import { claimOf, isImpersonation } from './consent.ts';
import { createSigningKeys, type SigningKeys } from './signing-keys.ts';

/** Who gets tokens, what they say and how long they last. */
export interface TokenOptions {
  /** Secrets by the id of their client; one client, `tributary` with `sandbox-secret`, when left out. */
  readonly clients?: Readonly<Record<string, string>>;
  /** Clients that can keep no secret, as pages in a browser; `explorer` when left out. */
  readonly publicClients?: readonly string[];
  /** How long a token lasts; an hour when left out. */
  readonly lifetimeMs?: number;
  /** The claim `iss`; the address of the sandbox with `/sandbox/oauth2/v2.0` when left out. */
  readonly issuer?: string;
  /** The claim `aud` where the scope names no service; `api://tributary` when left out. */
  readonly audience?: string;
}

/** What a token is to say. */
export interface Grant {
  /** Who calls with it: a person, or a client that calls for itself. */
  readonly name: string;
  /** What the person lets the client do; left out for a client that calls for itself. */
  readonly scopes?: readonly string[];
  /** The usual one when left out. */
  readonly audience?: string | undefined;
  /** The code it is exchanged for. */
  readonly code?: string;
}

/** A token as it was given out. */
export interface Issued {
  readonly token: string;
  readonly expiresIn: number;
}

/** Whom a token speaks for. */
export interface Bearer extends Grant {
  /** Its claim `jti`. */
  readonly id: string;
  /** After its time, ended before it, or not as it was given out. */
  readonly hasEnded: boolean;
}

/** The tokens that were given out. What does not claim to be one of them is taken as it comes; see `readCaller`. */
export interface Tokens {
  readonly clients: Clients;
  readonly codes: Codes;
  readonly keys: SigningKeys;
  /** A new token: a JWT (RFC 7519). */
  issue(grant: Grant): Promise<Issued>;
  /** How long tokens last from now on, until the next `clear`. */
  setLifetime(lifetimeMs: number): void;
  /** Ends every token at once, or those of a code. */
  revoke(code?: string): void;
  /** Whom a text speaks for; undefined where it does not say that it was given out here. */
  read(text: string): Bearer | undefined;
  /**
   * The headers of a request as the areas are to see them: `<name>~<id>` in place of a token, so that
   * who calls is the same whichever of their tokens is used. One that has ended reads as expired, one
   * whose person does not let the client act for them as denied where `needsImpersonation`.
   */
  judged(headers: IncomingHttpHeaders, needsImpersonation: boolean): IncomingHttpHeaders;
  /** Goes back to the start. What was given out is still known: who holds it may not have heard. */
  clear(): void;
}

/** The one with a secret that is known when none is named. */
export const usualClient = { id: 'tributary', secret: 'sandbox-secret' };

/** The one without a secret that is known when none is named. */
export const usualPublicClient = { id: 'explorer' };

/** The path of what is about tokens, and of who gives them out. */
export const issuerPath = '/sandbox/oauth2/v2.0';

/** An application permission of the real service (gap: see docs/upstream.md). */
const serviceRoles = ['API.ReadWrite.All'];

const maxTokens = 10_000;

/** `url` tells where the sandbox is, once it is anywhere. */
export function createTokens(options: TokenOptions = {}, url: () => string = () => ''): Tokens {
  const { clients = { [usualClient.id]: usualClient.secret }, publicClients = [usualPublicClient.id] } =
    options;
  const { lifetimeMs: usualMs = 3_600_000, audience: usualAudience = 'api://tributary' } = options;
  const issued = new Map<string, { readonly grant: Grant; endsAt: number; token: string }>();
  const codes = createCodes();
  const keys = createSigningKeys();
  const issuer = (): string => options.issuer ?? url() + issuerPath;
  let lifetimeMs = usualMs;

  function read(text: string): Bearer | undefined {
    const { iss, jti } = claimsOf(text);
    if (iss !== issuer()) return undefined;
    const found = issued.get(String(jti));
    if (found?.token !== text) return { name: '', id: 'unknown', hasEnded: true };
    return { ...found.grant, id: String(jti), hasEnded: found.endsAt <= Date.now() };
  }

  return {
    clients: createClients(clients, publicClients),
    codes,
    keys,
    async issue(grant) {
      const [now, id, expiresIn] = [Date.now(), randomBytes(18).toString('base64url'), lifetimeMs / 1_000];
      const entry = { grant, endsAt: now + lifetimeMs, token: '' };
      // Known before it is signed, so that its code can end it meanwhile.
      issued.set(id, entry);
      const [oldest = ''] = issued.keys();
      if (issued.size > maxTokens) issued.delete(oldest);
      entry.token = await keys.sign({
        iss: issuer(),
        aud: grant.audience ?? usualAudience,
        sub: grant.name,
        ...(grant.scopes ? { scp: claimOf(grant.scopes) } : { roles: serviceRoles }),
        iat: Math.floor(now / 1_000),
        nbf: Math.floor(now / 1_000),
        // In whole seconds, so never before the areas refuse it.
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
    judged(headers, needsImpersonation) {
      const bearer = read(/^Bearer +(\S+) *$/i.exec(headers.authorization ?? '')?.[1] ?? '');
      if (!bearer) return headers;
      const isDenied = needsImpersonation && bearer.scopes?.some(isImpersonation) === false;
      const name = bearer.hasEnded ? 'expired' : isDenied ? 'denied' : bearer.name;
      return { ...headers, authorization: `Bearer ${name}~${bearer.id}` };
    },
    clear() {
      codes.clear();
      keys.clear();
      lifetimeMs = usualMs;
    },
  };
}

/** The claims of a text, whether they are true or not; none where it is no JWT. */
export function claimsOf(text: string): JWTPayload {
  if (!/^[\w-]+\.[\w-]+\.[\w-]*$/.test(text)) return {};
  try {
    return decodeJwt(text);
  } catch {
    return {};
  }
}
