import type { Answer, Call } from '../http.ts';
import { json, readParameters } from '../http.ts';
import type { Tokens } from './tokens.ts';

/** True for the address that gives out tokens, which unlike its neighbours is there for callers. */
export function isTokenPath(path: string): boolean {
  return path === '/sandbox/oauth2/v2.0/token';
}

/** Gives a service a token for its id and secret (client credentials of OAuth 2.0, RFC 6749 section 4.4). */
export function answerToken(call: Call, tokens: Tokens): Answer {
  if (call.method !== 'POST') {
    const refused = refusal(405, 'invalid_request', 'A token is asked for by POST.');
    return { ...refused, headers: { ...refused.headers, allow: 'POST' } };
  }
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(call.headers['content-type'] ?? '')) {
    return refusal(400, 'invalid_request', 'The content type must be application/x-www-form-urlencoded.');
  }
  const form = readParameters(call.body);
  const grant = form.get('grant_type') ?? '';
  const [clientId, secret] = [form.get('client_id') ?? '', form.get('client_secret') ?? ''];
  if (grant === '') return refusal(400, 'invalid_request', "The form needs a 'grant_type'.");
  if (grant !== 'client_credentials') {
    return refusal(400, 'unsupported_grant_type', "The grant type must be 'client_credentials'.");
  }
  if (clientId === '' || secret === '') {
    return refusal(400, 'invalid_request', "The form needs a 'client_id' and a 'client_secret'.");
  }
  if (!tokens.isKnown(clientId, secret)) {
    return refusal(401, 'invalid_client', 'There is no such client, or its secret is another one.');
  }
  if (!/\/\.default$/.test(form.get('scope') ?? '')) {
    return refusal(400, 'invalid_scope', "The form needs a 'scope' that ends in '/.default'.");
  }
  const { token, expiresIn } = tokens.issue(clientId);
  return json(
    200,
    { token_type: 'Bearer', expires_in: expiresIn, ext_expires_in: expiresIn, access_token: token },
    notKept,
  );
}

/** The form as the journal may show it: without anything that could be a secret. */
export function shownForm(body: string): string {
  const form = readParameters(body);
  const shown = ['grant_type', 'client_id', 'scope'].filter((name) => form.has(name));
  return new URLSearchParams(shown.map((name): [string, string] => [name, form.get(name) ?? ''])).toString();
}

const notKept = { 'cache-control': 'no-store' };

function refusal(status: number, error: string, description: string): Answer {
  return json(status, { error, error_description: description }, notKept);
}
