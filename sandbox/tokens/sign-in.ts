import type { ApiRequest, ApiResponse } from '../http.ts';
import { emptyResponse, jsonResponse } from '../http.ts';
import { handleAuthorize } from './authorize.ts';
import { handleTokenRequest } from './token-requests.ts';
import type { TokenService } from './tokens.ts';
import { defaultClient, defaultPublicClient, issuerPath } from './tokens.ts';

const authorizeHelp = `Signs in: response_type=code (with code_challenge and code_challenge_method=S256) or token, client_id=${defaultPublicClient.id}, redirect_uri on this machine, scope=user_impersonation, state; login_hint=ada skips the page.`;
const clientGrantHelp = `grant_type=client_credentials, client_id=${defaultClient.id}, client_secret=${defaultClient.secret}, scope=…/.default`;
const codeGrantHelp = `grant_type=authorization_code, client_id=${defaultPublicClient.id}, code, redirect_uri, code_verifier`;
const onBehalfOfHelp =
  'grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer, requested_token_use=on_behalf_of, assertion, client_id, client_secret, scope=…/.default';
const tokenHelp = `Issues a token for a form. For a service: ${clientGrantHelp}. For a code: ${codeGrantHelp}. On behalf of the subject of a token: ${onBehalfOfHelp}. The journal records it without secrets.`;
const keysHelp = 'The public keys of issued tokens.';

/**
 * Descriptions of the authorization server's routes for the index: those of the document, and those below
 * `/sandbox`.
 */
export const signInRoutes: Readonly<Record<string, string>> = {
  'GET /common/oauth2/authorize': authorizeHelp,
  'POST /common/oauth2/token': tokenHelp,
  'GET /common/discovery/keys': keysHelp,
  [`GET ${issuerPath}/authorize`]: authorizeHelp,
  [`POST ${issuerPath}/token`]: tokenHelp,
  [`GET ${issuerPath}/keys`]: keysHelp,
};

/** True for the paths of the authorization server, which are not part of the control API. */
export function isSignInPath(path: string): boolean {
  return path.startsWith('/common/') || path.startsWith(`${issuerPath}/`);
}

/** Handles a request of the authorization server (Authentication). */
export async function handleSignInRequest(request: ApiRequest, tokens: TokenService): Promise<ApiResponse> {
  switch (request.path) {
    case '/common/oauth2/authorize':
    case `${issuerPath}/authorize`:
      return handleAuthorize(request, tokens);
    case '/common/oauth2/token':
    case `${issuerPath}/token`:
      return handleTokenRequest(request, tokens);
    case '/common/discovery/keys':
    case `${issuerPath}/keys`:
      return request.method === 'GET'
        ? jsonResponse(200, tokens.keys.jwks())
        : emptyResponse(405, { allow: 'GET' });
    default:
      return jsonResponse(404, { error: { code: 'NotFound', message: 'Unknown path. See GET /sandbox.' } });
  }
}
