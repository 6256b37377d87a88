import { readJsonObject } from '../business/field-values.ts';
import type { ControlAddresses } from '../control.ts';
import { empty } from '../http.ts';
import { badRequest } from '../refusal.ts';
import type { Tokens } from './tokens.ts';

/** The address below `/sandbox` that is about the tokens it gives out. */
export function tokenControls(tokens: Tokens): ControlAddresses {
  return {
    'POST /sandbox/tokens': {
      about:
        '{"lifetimeMs": 60000} is how long tokens last from now on, {"revoke": true} ends those given out so far',
      answer(call) {
        steer(readJsonObject(call.body), tokens);
        return empty(204);
      },
    },
  };
}

function steer({ lifetimeMs, revoke, ...rest }: Readonly<Record<string, unknown>>, tokens: Tokens): void {
  const isLifetime = Number.isSafeInteger(lifetimeMs) && (lifetimeMs as number) >= 0;
  if (Object.keys(rest).length > 0) throw badRequest('Tokens have lifetimeMs and revoke.');
  if (lifetimeMs !== undefined && !isLifetime) throw badRequest("'lifetimeMs' must be a whole number.");
  if (revoke !== undefined && revoke !== true) throw badRequest("'revoke' must be true.");
  if (lifetimeMs !== undefined) tokens.setLifetime(lifetimeMs as number);
  if (revoke) tokens.revoke();
}
