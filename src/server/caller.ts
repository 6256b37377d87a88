import { createHash, randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { readBearerToken } from '../http/auth/bearer.ts';
import { keyOfPeer } from './caller-key.ts';
import type { VerifiedCaller } from './guard/token-verification.ts';
import type { RequestSlot } from './load/request-slot.ts';

/**
 * Tokens sent by a caller. Requests on one connection with the same tokens share one object, so that derived
 * values can be kept in a `WeakMap`.
 */
export interface CallerTokens {
  readonly business: string | null;
  readonly management: string | null;
}

/** The sender of a request, as read from HTTP headers or a WebSocket. */
export interface Caller {
  readonly requestId: string;
  /**
   * The request id for upstreams, which accept only GUIDs: `requestId` when it is a GUID, otherwise a new
   * one.
   */
  readonly clientRequestId?: string;
  readonly tokens: CallerTokens;
  /** Claims of the verified token; null when tokens are not verified, or not yet. */
  readonly verified: VerifiedCaller | null;
  /**
   * Identifies the caller wherever callers share limits and take turns: its verified identity, otherwise its
   * peer's network. Behind a proxy the peer is the proxy.
   */
  readonly key: string;
  /** Whether to list upstream calls in the response (`tributary-explain: 1`). */
  readonly isExplained?: boolean;
  /**
   * Whether reads of area A must see all earlier writes, whichever replica made them (`tributary-read:
   * primary`).
   */
  readonly readsPrimary?: boolean;
  /** The slot held by the request; undefined until it has one. */
  slot?: RequestSlot | undefined;
  /** W3C trace context: `00-<trace>-<span>-<flags>`. */
  readonly traceparent?: string | null;
  /** The `Accept-Language` header, forwarded so that upstreams localize their error messages. */
  readonly language?: string | null;
}

/**
 * Reads the caller from an HTTP request. When areas B and C have their own header, area A's token is never
 * sent to them.
 */
export function callerFromRequest({ headers, id, raw }: FastifyRequest, managementHeader: string): Caller {
  return {
    requestId: id,
    clientRequestId: requestGuidPattern.test(id) ? id : randomUUID(),
    tokens: tokensOfSocket(raw.socket, headers, managementHeader),
    verified: null,
    key: keyOfPeer(raw.socket.remoteAddress ?? ''),
    slot: undefined,
    isExplained: headers['tributary-explain'] === '1',
    readsPrimary: wantsPrimary(headers),
    traceparent: readTraceparent(headers),
    language: readLanguages(headers),
  };
}

/**
 * Reads the caller from a WebSocket. Tokens come from the `connection_init` payload, where browsers can set
 * them (`authorization`, `managementAuthorization`), otherwise from the headers of the upgrade request.
 */
export function callerFromSocket(
  payload: Readonly<Record<string, unknown>> | undefined,
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  managementHeader: string,
): Caller {
  const { authorization = payload?.Authorization, managementAuthorization } = payload ?? {};
  const tokenHeaders = typeof authorization === 'string' ? { ...headers, authorization } : headers;
  return {
    ...createRequestIds(),
    tokens: {
      ...readTokens(tokenHeaders, managementHeader),
      ...(typeof managementAuthorization === 'string' && {
        management: readBearerToken(managementAuthorization),
      }),
    },
    verified: null,
    key: keyOfPeer(socket.remoteAddress ?? ''),
    readsPrimary: wantsPrimary(headers),
    traceparent: readTraceparent(headers),
    language: readLanguages(headers),
  };
}

const wantsPrimary = (headers: IncomingHttpHeaders): boolean => headers['tributary-read'] === 'primary';

function readTokens(headers: IncomingHttpHeaders, managementHeader: string): CallerTokens {
  const management = headers[managementHeader];
  return {
    business: readBearerToken(headers.authorization),
    management: typeof management === 'string' ? readBearerToken(management) : null,
  };
}

interface SentTokens {
  readonly authorization: string | undefined;
  readonly management: string | string[] | undefined;
  readonly tokens: CallerTokens;
}

const lastSent = new WeakMap<Socket, SentTokens>();

function tokensOfSocket(
  socket: Socket,
  headers: IncomingHttpHeaders,
  managementHeader: string,
): CallerTokens {
  const { authorization, [managementHeader]: management } = headers;
  const last = lastSent.get(socket);
  if (last && last.authorization === authorization && last.management === management) return last.tokens;
  const tokens = readTokens(headers, managementHeader);
  lastSent.set(socket, { authorization, management, tokens });
  return tokens;
}

const digests = new WeakMap<CallerTokens, string>();

/** Identifies tokens without revealing them. Computed once per object. */
export function digestTokens(tokens: CallerTokens): string {
  const known = digests.get(tokens);
  if (known !== undefined) return known;
  const text = JSON.stringify([tokens.business, tokens.management]);
  const digest = createHash('sha256').update(text).digest('base64url');
  digests.set(tokens, digest);
  return digest;
}

/** Returns the client's `x-request-id` if it is well-formed, otherwise a new id. */
export function readRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

const requestGuidPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Creates the ids of a message that has none of its own. */
export function createRequestIds(): Required<Pick<Caller, 'requestId' | 'clientRequestId'>> {
  const id = randomUUID();
  return { requestId: id, clientRequestId: id };
}

// All-zero ids are invalid (W3C Trace Context). Only version 00 is forwarded.
const traceparentPattern = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

function readTraceparent({ traceparent: given }: IncomingHttpHeaders): string | null {
  return typeof given === 'string' && traceparentPattern.test(given) ? given : null;
}

// The characters of a language list (RFC 9110 §12.5.4); browsers send fewer than 200.
const languagesPattern = /^[A-Za-z0-9,;=.*\- ]{1,200}$/;

function readLanguages({ 'accept-language': given }: IncomingHttpHeaders): string | null {
  return given !== undefined && languagesPattern.test(given) ? given : null;
}
