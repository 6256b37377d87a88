import type { Answer, Call } from '../http.ts';
import { empty, json } from '../http.ts';
import { answerAuthorize } from './authorize.ts';
import { answerToken } from './token-answer.ts';
import type { Tokens } from './tokens.ts';
import { issuerPath, usualClient, usualPublicClient } from './tokens.ts';

const signIn = `sign in: response_type=code (with code_challenge and code_challenge_method=S256) or token, client_id=${usualPublicClient.id}, redirect_uri on this machine, scope=user_impersonation, state; login_hint=ada signs in without asking`;
const forService = `grant_type=client_credentials, client_id=${usualClient.id}, client_secret=${usualClient.secret}, scope=…/.default`;
const forCode = `grant_type=authorization_code, client_id=${usualPublicClient.id}, code, redirect_uri, code_verifier`;
const onBehalfOf =
  'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer, requested_token_use=on_behalf_of, assertion, client_id, client_secret, scope=…/.default';
const token = `a token, for a form. For a service: ${forService}. For a code: ${forCode}. For the bearer of another token: ${onBehalfOf}. It is in the journal, without what is secret`;
const keys = 'the keys that tokens are signed with';

/** What the index says of the addresses: those of the document, and those beside the other ones of the sandbox. */
export const signInAddresses: Readonly<Record<string, string>> = {
  'GET /common/oauth2/authorize': signIn,
  'POST /common/oauth2/token': token,
  'GET /common/discovery/keys': keys,
  [`GET ${issuerPath}/authorize`]: signIn,
  [`POST ${issuerPath}/token`]: token,
  [`GET ${issuerPath}/keys`]: keys,
};

/** True for the addresses of the authorization server, which unlike their neighbours are there for callers. */
export function isSignInPath(path: string): boolean {
  return path.startsWith('/common/') || path.startsWith(`${issuerPath}/`);
}

/** Answers as the authorization server that the document names (Authentication). */
export async function answerSignIn(call: Call, tokens: Tokens): Promise<Answer> {
  switch (call.path) {
    case '/common/oauth2/authorize':
    case `${issuerPath}/authorize`:
      return answerAuthorize(call, tokens);
    case '/common/oauth2/token':
    case `${issuerPath}/token`:
      return answerToken(call, tokens);
    case '/common/discovery/keys':
    case `${issuerPath}/keys`:
      return call.method === 'GET' ? json(200, tokens.keys.published()) : empty(405, { allow: 'GET' });
    default:
      return json(404, { error: { code: 'NotFound', message: 'Nobody signs in here. Try GET /sandbox.' } });
  }
}
