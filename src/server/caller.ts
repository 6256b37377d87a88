import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../upstream/auth.ts';
import type { Place } from './place.ts';
import type { VerifiedCaller } from './verification.ts';

/**
 * The tokens that a caller sends. One object for as long as a connection sends the same ones: what is made of them can
 * be kept with it, and a token is no key of anything.
 */
export interface Tokens {
  readonly business: string | null;
  readonly management: string | null;
}

/** Who asks, as the transport read it from a request or a socket. */
export interface Caller {
  readonly requestId: string;
  readonly tokens: Tokens;
  /** What the token proves; null where tokens are not verified, or not yet. */
  readonly verified: VerifiedCaller | null;
  /** The address at the other end of the connection: a proxy's, where there is one. */
  readonly peerAddress: string;
  /** Whether the answer is to tell which upstream calls were made for it. */
  readonly isExplained?: boolean;
  /** The place that its request takes; none before it has one. */
  place?: Place | undefined;
  /** The trace its request is part of, as W3C writes it: `00-<trace>-<span>-<flags>`. */
  readonly traceparent?: string | null;
}

/** Who sends a request. Where areas B and C have a header of their own, the token for A is never theirs. */
export function callerOf({ headers, id, raw }: FastifyRequest, managementHeader: string): Caller {
  const isExplained = headers['tributary-explain'] === '1';
  return {
    requestId: id,
    tokens: tokensOn(raw.socket, headers, managementHeader),
    verified: null,
    peerAddress: raw.socket.remoteAddress ?? '',
    place: undefined,
    isExplained,
    traceparent: traceparentOf(headers),
  };
}

/**
 * Who opens a WebSocket. The tokens are in the payload of `connection_init`, where browsers can put them
 * (`authorization`, `managementAuthorization`), or else in the headers of the upgrade, as for a request.
 */
export function callerOfSocket(
  payload: Readonly<Record<string, unknown>> | undefined,
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  managementHeader: string,
): Caller {
  const { authorization = payload?.Authorization, managementAuthorization: own } = payload ?? {};
  const given = typeof authorization === 'string' ? { ...headers, authorization } : headers;
  return {
    requestId: randomUUID(),
    tokens: {
      ...tokensOf(given, managementHeader),
      ...(typeof own === 'string' && { management: bearerToken(own) }),
    },
    verified: null,
    peerAddress: socket.remoteAddress ?? '',
    traceparent: traceparentOf(headers),
  };
}

function tokensOf(headers: IncomingHttpHeaders, managementHeader: string): Tokens {
  const ownHeader = headers[managementHeader];
  return {
    business: bearerToken(headers.authorization),
    management: typeof ownHeader === 'string' ? bearerToken(ownHeader) : null,
  };
}

interface Sent {
  readonly authorization: string | undefined;
  readonly own: string | string[] | undefined;
  readonly tokens: Tokens;
}

const lastSent = new WeakMap<Socket, Sent>();

function tokensOn(socket: Socket, headers: IncomingHttpHeaders, managementHeader: string): Tokens {
  const { authorization, [managementHeader]: own } = headers;
  const last = lastSent.get(socket);
  if (last && last.authorization === authorization && last.own === own) return last.tokens;
  const tokens = tokensOf(headers, managementHeader);
  lastSent.set(socket, { authorization, own, tokens });
  return tokens;
}

/** The id the client gives its request, when it is harmless; else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}

// Ids of noughts alone are none. What later versions may add is not for this one to pass on.
const traceparent = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

function traceparentOf({ traceparent: given }: IncomingHttpHeaders): string | null {
  return typeof given === 'string' && traceparent.test(given) ? given : null;
}
