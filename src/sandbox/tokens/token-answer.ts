import type { Answer, Call } from '../http.ts';
import { empty, json } from '../http.ts';
import { Refusal } from '../refusal.ts';
import { checkClient, readClient } from './clients.ts';
import { readForm, refused } from './forms.ts';
import { grants } from './grants.ts';
import { guarded, isLoopbackOrigin } from './loopback.ts';
import type { Tokens } from './tokens.ts';

/** Gives out a token for a form, to a service or to a page on this machine, which exchanges its code itself. */
export async function answerToken(call: Call, tokens: Tokens): Promise<Answer> {
  const { origin } = call.headers;
  const shared = isLoopbackOrigin(origin) ? { 'access-control-allow-origin': origin } : {};
  const headers = { ...guarded, ...shared, vary: 'origin' };
  if (call.method === 'OPTIONS' && isLoopbackOrigin(origin)) {
    const allowed = {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, authorization',
    };
    return empty(204, { ...headers, ...allowed });
  }
  try {
    return json(200, await give(call, tokens), headers);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const { status, code, message, extras } = error;
    return json(status, { error: code, error_description: message }, { ...headers, ...extras.headers });
  }
}

async function give(call: Call, tokens: Tokens): Promise<Readonly<Record<string, unknown>>> {
  const form = readForm(call);
  const client = readClient(call, form);
  const type = form.get('grant_type') ?? '';
  const grantOf = Object.hasOwn(grants, type) ? grants[type] : undefined;
  if (type === '') throw refused('invalid_request', "The form needs a 'grant_type'.");
  if (!grantOf) {
    const known = Object.keys(grants).join(', ');
    throw refused('unsupported_grant_type', `The grant type must be one of: ${known}.`);
  }
  checkClient(client, type, tokens.clients);
  const grant = grantOf(form, client, tokens);
  const { token, expiresIn } = await tokens.issue(grant);
  return {
    token_type: 'Bearer',
    ...(grant.scopes ? { scope: grant.scopes.join(' ') } : {}),
    expires_in: expiresIn,
    ext_expires_in: expiresIn,
    access_token: token,
  };
}
