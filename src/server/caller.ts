import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { bearerToken } from '../upstream/auth.ts';
import type { Caller } from './executor.ts';

/**
 * Who sends a request. A token for areas B and C may have a header of its own; without one the token for A
 * serves all three. A request id given by the client is kept when it is harmless.
 */
export function callerOf(headers: IncomingHttpHeaders, managementHeader: string): Caller {
  const businessToken = bearerToken(headers.authorization);
  const ownHeader = headers[managementHeader];
  return {
    requestId: requestIdOf(headers['x-request-id']),
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

function requestIdOf(given: string | string[] | undefined): string {
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : randomUUID();
}
