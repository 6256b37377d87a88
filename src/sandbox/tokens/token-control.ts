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
        '{"lifetimeMs": 60000} is how long tokens last from now on, {"revoke": true} ends those given out so far, {"rotateKeys": true} signs with a new key from now on, {"forgetKeys": true} publishes no former one',
      answer(call) {
        steer(readJsonObject(call.body), tokens);
        return empty(204);
      },
    },
  };
}

const orders = ['revoke', 'rotateKeys', 'forgetKeys'];

function steer({ lifetimeMs, ...rest }: Readonly<Record<string, unknown>>, tokens: Tokens): void {
  const isLifetime = Number.isSafeInteger(lifetimeMs) && (lifetimeMs as number) >= 0;
  if (lifetimeMs !== undefined && !isLifetime) throw badRequest("'lifetimeMs' must be a whole number.");
  for (const [name, value] of Object.entries(rest)) {
    if (!orders.includes(name)) throw badRequest(`Tokens have lifetimeMs, ${orders.join(', ')}.`);
    if (value !== true) throw badRequest(`'${name}' must be true.`);
  }
  if (lifetimeMs !== undefined) tokens.setLifetime(lifetimeMs as number);
  if (rest.revoke) tokens.revoke();
  if (rest.rotateKeys) tokens.keys.rotate();
  if (rest.forgetKeys) tokens.keys.forget();
}
