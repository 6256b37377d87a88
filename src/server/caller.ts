import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../upstream/auth.ts';
import type { Caller } from './executor.ts';

/**
 * Who sends a request. A token for areas B and C may have a header of its own; without one the token for A
 * serves all three.
 */
export function callerOf({ headers, id }: FastifyRequest, managementHeader: string): Caller {
  const businessToken = bearerToken(headers.authorization);
  const ownHeader = headers[managementHeader];
  return {
    requestId: id,
    businessToken,
    managementToken: (typeof ownHeader === 'string' ? bearerToken(ownHeader) : null) ?? businessToken,
  };
}

/** Who opens a WebSocket: the tokens are in the payload of `connection_init`, where browsers can put them. */
export function callerOfInit(payload: Readonly<Record<string, unknown>> | undefined): Caller {
  const token = (name: string) => {
    const value = payload?.[name];
    return typeof value === 'string' ? bearerToken(value) : null;
  };
  const businessToken = token('authorization') ?? token('Authorization');
  return {
    requestId: randomUUID(),
    businessToken,
    managementToken: token('managementAuthorization') ?? businessToken,
  };
}

/** The id the client gives its request, when it is harmless; else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
