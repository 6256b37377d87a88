import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse } from '../http.ts';
import { hasRepeatedParameter } from './clients.ts';
import {
  consentedScopes,
  impersonationScope,
  isImpersonation,
  isName,
  isRedirectAddress,
  people,
  readScopes,
  redirectTo,
  secretResponseHeaders,
} from './consent.ts';
import { handleTokenRequest } from './token-requests.ts';
import { defaultClient, defaultPublicClient, isChallenge, issuerPath, type TokenService } from './tokens.ts';

type OAuthFailure = readonly [error: string, description: string];

/**
 * Signs a person in, by picking a name or by `login_hint`, and redirects back with a code (RFC 6749, section
 * 4.1, with RFC 7636) or a token (section 4.2: the implicit flow, which the document names). Errors are sent
 * to the redirect address, unless the address or the client is invalid.
 */
async function handleAuthorize(request: ApiRequest, tokens: TokenService): Promise<ApiResponse> {
  if (request.method !== 'GET') return errorPage(405, 'Signing in requires a GET.', { allow: 'GET' });
  const parameters = new URLSearchParams(request.query);
  const clientError = findClientError(parameters, tokens);
  if (clientError !== undefined) return errorPage(400, clientError);

  const redirect = (result: Readonly<Record<string, string>>): ApiResponse =>
    redirectBack(parameters, result);
  const [error, description] = findRequestError(parameters) ?? [];
  if (error !== undefined) return redirect(errorParameters(error, description));
  const name = parameters.get('login_hint') || undefined;
  if (name === undefined) {
    const cancelled = redirect(errorParameters('access_denied', 'The sign-in was cancelled.'));
    return signInPage(parameters, cancelled.headers.location ?? '');
  }

  const scopes = consentedScopes(name, readScopes(parameters.get('scope') ?? ''));
  if (parameters.get('response_type') === 'code') {
    const code = tokens.codes.create({
      clientId: parameters.get('client_id') ?? '',
      redirectUri: parameters.get('redirect_uri') ?? '',
      challenge: parameters.get('code_challenge') ?? '',
      name,
      scopes,
    });
    return redirect({ code });
  }
  const { token, expiresIn } = await tokens.issue({ name, scopes });
  return redirect({
    access_token: token,
    token_type: 'Bearer',
    expires_in: String(expiresIn),
    scope: scopes.join(' '),
  });
}

function findClientError(parameters: URLSearchParams, { clients }: TokenService): string | undefined {
  const [ids, addresses] = [parameters.getAll('client_id'), parameters.getAll('redirect_uri')];
  if (ids.length !== 1 || !clients.ids.includes(ids[0] ?? '')) {
    return `The 'client_id' must be one of: ${clients.ids.join(', ')}. It is '${ids.join(', ')}'.`;
  }
  if (addresses.length !== 1 || !isRedirectAddress(addresses[0] ?? '')) {
    return `The 'redirect_uri' must be one http or https address on localhost, 127.0.0.1 or [::1], without a user or a fragment. It is '${addresses.join(', ')}'.`;
  }
  return undefined;
}

function findRequestError(parameters: URLSearchParams): OAuthFailure | undefined {
  const type = parameters.get('response_type');
  if (hasRepeatedParameter(parameters)) return ['invalid_request', 'A parameter must not be repeated.'];
  if (!type) return ['invalid_request', "The parameter 'response_type' must be 'code' or 'token'."];
  if (type !== 'code' && type !== 'token') {
    return ['unsupported_response_type', "The 'response_type' must be 'code' or 'token'."];
  }
  if (!readScopes(parameters.get('scope') ?? '').some(isImpersonation)) {
    return ['invalid_scope', `The 'scope' must hold '${impersonationScope}', of any service.`];
  }
  const isHashed = parameters.get('code_challenge_method') === 'S256';
  if (type === 'code' && !(isHashed && isChallenge(parameters.get('code_challenge') ?? ''))) {
    const needed = "a 'code_challenge' of 43 characters and the 'code_challenge_method' S256";
    return ['invalid_request', `A code requires ${needed} (RFC 7636).`];
  }
  if (!isName(parameters.get('login_hint') || 'anyone')) {
    return ['invalid_request', "The 'login_hint' must be a name of letters, digits and _ . @ + -"];
  }
  return undefined;
}

function errorParameters(error: string, description = ''): Readonly<Record<string, string>> {
  return { error, error_description: description };
}

function redirectBack(parameters: URLSearchParams, result: Readonly<Record<string, string>>): ApiResponse {
  const state = parameters.get('state');
  const isInFragment = parameters.get('response_type') === 'token';
  return redirectTo(
    parameters.get('redirect_uri') ?? '',
    { ...result, ...(state ? { state } : {}) },
    isInFragment,
  );
}

/** The page to pick a person on. Each link repeats the request with a `login_hint`. */
function signInPage(parameters: URLSearchParams, cancelAddress: string): ApiResponse {
  const links = Object.entries(people).map(([name, about]) => {
    const query = new URLSearchParams(parameters);
    query.set('login_hint', name);
    return `<li><a href="?${escapeHtml(query.toString())}">${escapeHtml(name)}</a> ${escapeHtml(about)}</li>`;
  });
  const { origin } = new URL(parameters.get('redirect_uri') ?? '');
  return htmlPage(200, 'Sign in to the sandbox', [
    `<p>${escapeHtml(parameters.get('client_id') ?? '')} at ${escapeHtml(origin)} asks for ${escapeHtml(readScopes(parameters.get('scope') ?? '').join(', '))}. Who are you?</p>`,
    `<ul>${links.join('')}</ul>`,
    `<p><a href="${escapeHtml(cancelAddress)}">Cancel</a></p>`,
  ]);
}

/** An error that must not be sent to the redirect address. */
function errorPage(status: number, message: string, headers: Record<string, string> = {}): ApiResponse {
  const response = htmlPage(status, 'The sign-in request is invalid', [`<p>${escapeHtml(message)}</p>`]);
  return { ...response, headers: { ...response.headers, ...headers } };
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

const head = [
  '<meta charset="utf-8">',
  '<meta name="viewport" content="width=device-width">',
  '<meta name="color-scheme" content="light dark">',
].join('');

function htmlPage(status: number, title: string, content: readonly string[]): ApiResponse {
  return {
    status,
    headers: { ...pageHeaders, ...secretResponseHeaders },
    body: `<!doctype html><html lang="en"><head>${head}<title>${title}</title></head><body><main><h1>${title}</h1>${content.join('')}</main></body></html>`,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

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
