import { badRequestError } from '../api-error.ts';
import type { ControlRoutes } from '../http.ts';
import { emptyResponse } from '../http.ts';
import { readJsonObject } from '../json-checks.ts';
import type { TokenService } from './tokens.ts';

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
