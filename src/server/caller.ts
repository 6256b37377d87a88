import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../upstream/auth.ts';
import type { Caller } from './executor.ts';

/** Who sends a request. Where areas B and C have a header of their own, the token for A is never theirs. */
export function callerOf({ headers, id }: FastifyRequest, managementHeader: string): Caller {
  const businessToken = bearerToken(headers.authorization);
  const ownHeader = headers[managementHeader];
  return {
    requestId: id,
    businessToken,
    managementToken: typeof ownHeader === 'string' ? bearerToken(ownHeader) : null,
  };
}

/** Who opens a WebSocket: the tokens are in the payload of `connection_init`, where browsers can put them. */
export function callerOfInit(
  payload: Readonly<Record<string, unknown>> | undefined,
  managementHeader: string,
): Caller {
  const token = (name: string) => {
    const value = payload?.[name];
    return typeof value === 'string' ? bearerToken(value) : null;
  };
  const businessToken = token('authorization') ?? token('Authorization');
  return {
    requestId: randomUUID(),
    businessToken,
    managementToken: managementHeader === 'authorization' ? businessToken : token('managementAuthorization'),
  };
}

/** The id the client gives its request, when it is harmless; else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
