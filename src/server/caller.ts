import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../upstream/auth.ts';
import type { Deadline } from '../upstream/deadline.ts';
import type { VerifiedCaller } from './verification.ts';

/** Who asks, as the transport read it from a request or a socket. */
export interface Caller {
  readonly requestId: string;
  readonly businessToken: string | null;
  readonly managementToken: string | null;
  /** What the token proves; null where tokens are not verified, or not yet. */
  readonly verified: VerifiedCaller | null;
  /** Whether the answer is to tell which upstream calls were made for it. */
  readonly isExplained?: boolean;
  /** The trace its request is part of, as W3C writes it: `00-<trace>-<span>-<flags>`. */
  readonly traceparent?: string | null;
  /** Until when a query is waited for; none where a write or a subscription is asked for. */
  readonly deadline?: Deadline | null;
}

/** Who sends a request. Where areas B and C have a header of their own, the token for A is never theirs. */
export function callerOf({ headers, id }: FastifyRequest, managementHeader: string): Caller {
  const isExplained = headers['tributary-explain'] === '1';
  return {
    requestId: id,
    ...tokensOf(headers, managementHeader),
    verified: null,
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
  headers: IncomingHttpHeaders,
  managementHeader: string,
): Caller {
  const { authorization = payload?.Authorization, managementAuthorization: own } = payload ?? {};
  const given = typeof authorization === 'string' ? { ...headers, authorization } : headers;
  return {
    requestId: randomUUID(),
    ...tokensOf(given, managementHeader),
    ...(typeof own === 'string' && { managementToken: bearerToken(own) }),
    verified: null,
    traceparent: traceparentOf(headers),
  };
}

function tokensOf(headers: IncomingHttpHeaders, managementHeader: string) {
  const ownHeader = headers[managementHeader];
  return {
    businessToken: bearerToken(headers.authorization),
    managementToken: typeof ownHeader === 'string' ? bearerToken(ownHeader) : null,
  };
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
