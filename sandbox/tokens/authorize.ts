import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse } from '../http.ts';
import { consentedScopes, impersonationScope, isImpersonation, people, readScopes } from './scopes.ts';
import { handleTokenRequest, hasRepeatedParameter, secretResponseHeaders } from './token-requests.ts';
import { isChallenge, issuerPath, publicClientId, serviceClient, type TokenService } from './tokens.ts';

type OAuthFailure = readonly [error: string, description: string];

/**
 * Signs a person in, by picking a name or by `login_hint`, and redirects back with a code (RFC 6749, section
 * 4.1, with RFC 7636) or a token (section 4.2: the implicit flow, which the document names). Errors are sent
 * to the redirect address, unless the address or the client is invalid.
 */
async function handleAuthorize(request: ApiRequest, tokens: TokenService): Promise<ApiResponse> {
  if (request.method !== 'GET') return emptyResponse(405, { allow: 'GET' });
  const parameters = new URLSearchParams(request.query);
  const get = (name: string) => parameters.get(name) ?? '';
  const clientError = findClientError(parameters);
  if (clientError !== undefined)
    return { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: clientError };

  const [error, error_description = ''] = findRequestError(parameters) ?? [];
  if (error !== undefined) return redirectBack(parameters, { error, error_description });
  const name = get('login_hint');
  if (name === '') return signInPage(parameters);
  const scopes = consentedScopes(name, readScopes(get('scope')));
  if (get('response_type') === 'code') {
    const code = tokens.codes.create({
      clientId: get('client_id'),
      redirectUri: get('redirect_uri'),
      challenge: get('code_challenge'),
      name,
      scopes,
    });
    return redirectBack(parameters, { code });
  }
  const { token, expiresIn } = await tokens.issue({ name, scopes });
  return redirectBack(parameters, {
    access_token: token,
    token_type: 'Bearer',
    expires_in: String(expiresIn),
    scope: scopes.join(' '),
  });
}

function findClientError(parameters: URLSearchParams): string | undefined {
  const [ids, addresses] = [parameters.getAll('client_id'), parameters.getAll('redirect_uri')];
  const known = [publicClientId, serviceClient.id];
  if (ids.length !== 1 || !known.includes(ids[0] ?? ''))
    return `The 'client_id' must be one of: ${known.join(', ')}. It is '${ids.join(', ')}'.`;
  if (addresses.length !== 1 || !isRedirectAddress(addresses[0] ?? ''))
    return `The 'redirect_uri' must be one http or https address on localhost, 127.0.0.1 or [::1], without a user or a fragment. It is '${addresses.join(', ')}'.`;
  return undefined;
}

/** True for a valid redirect address: on this machine, with any port, without a user or a fragment. */
function isRedirectAddress(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return /^https?:$/.test(protocol) && isLoopback && username === '' && password === '';
}

function findRequestError(parameters: URLSearchParams): OAuthFailure | undefined {
  const get = (name: string) => parameters.get(name) ?? '';
  const type = get('response_type');
  if (hasRepeatedParameter(parameters)) return ['invalid_request', 'A parameter must not be repeated.'];
  if (type !== 'code' && type !== 'token')
    return [
      type === '' ? 'invalid_request' : 'unsupported_response_type',
      "The 'response_type' must be 'code' or 'token'.",
    ];
  if (!readScopes(get('scope')).some(isImpersonation))
    return ['invalid_scope', `The 'scope' must hold '${impersonationScope}', of any service.`];
  const isHashed = get('code_challenge_method') === 'S256' && isChallenge(get('code_challenge'));
  if (type === 'code' && !isHashed) {
    const needed = "a 'code_challenge' of 43 characters and the 'code_challenge_method' S256";
    return ['invalid_request', `A code requires ${needed} (RFC 7636).`];
  }
  // Without a tilde, which separates the name from the rest of a token.
  if (!/^[\w.@+-]{0,100}$/.test(get('login_hint')))
    return ['invalid_request', "The 'login_hint' must be a name of letters, digits and _ . @ + -"];
  return undefined;
}

/** Redirects back with a result in the query, or in the fragment of the implicit flow. */
function redirectBack(parameters: URLSearchParams, result: Readonly<Record<string, string>>): ApiResponse {
  const { href } = new URL(parameters.get('redirect_uri') ?? '');
  const state = parameters.get('state');
  const mark = parameters.get('response_type') === 'token' ? '#' : href.includes('?') ? '&' : '?';
  const told = new URLSearchParams({ ...result, ...(state ? { state } : {}) });
  return emptyResponse(302, { location: `${href}${mark}${told}`, ...secretResponseHeaders });
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  ...secretResponseHeaders,
};

/** The page to pick a person on. Each link repeats the request with a `login_hint`. */
function signInPage(parameters: URLSearchParams): ApiResponse {
  const links = Object.entries(people).map(([name, about]) => {
    const query = new URLSearchParams(parameters);
    query.set('login_hint', name);
    return `<li><a href="?${escapeHtml(query.toString())}">${escapeHtml(name)}</a> ${escapeHtml(about)}</li>`;
  });
  const cancelled = { error: 'access_denied', error_description: 'The sign-in was cancelled.' };
  const cancelAddress = redirectBack(parameters, cancelled).headers.location ?? '';
  const { origin } = new URL(parameters.get('redirect_uri') ?? '');
  const scopes = readScopes(parameters.get('scope') ?? '').join(', ');
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in to the sandbox</title></head>
<body><main><h1>Sign in to the sandbox</h1>
<p>${escapeHtml(`${parameters.get('client_id')} at ${origin} asks for ${scopes}. Who are you?`)}</p>
<ul>${links.join('')}</ul>
<p><a href="${escapeHtml(cancelAddress)}">Cancel</a></p></main></body></html>`;
  return { status: 200, headers: pageHeaders, body };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

interface Endpoint {
  readonly method: string;
  /** The path in the document, and the one below `/sandbox`. */
  readonly paths: readonly string[];
  readonly description: string;
  handle(request: ApiRequest, tokens: TokenService): ApiResponse | Promise<ApiResponse>;
}

const endpoints: readonly Endpoint[] = [
  {
    method: 'GET',
    paths: ['/common/oauth2/authorize', `${issuerPath}/authorize`],
    description: `Signs in: response_type=code (with code_challenge and code_challenge_method=S256) or token, client_id=${publicClientId}, redirect_uri on this machine, scope=user_impersonation, state; login_hint=ada skips the page.`,
    handle: handleAuthorize,
  },
  {
    method: 'POST',
    paths: ['/common/oauth2/token', `${issuerPath}/token`],
    description: `Issues a token for a form. For a service: grant_type=client_credentials, client_id=${serviceClient.id}, client_secret=${serviceClient.secret}, scope=…/.default. For a code: grant_type=authorization_code, client_id=${publicClientId}, code, redirect_uri, code_verifier. On behalf of the subject of a token: grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer, requested_token_use=on_behalf_of, assertion, client_id, client_secret, scope=…/.default. The journal records it without secrets.`,
    handle: handleTokenRequest,
  },
  {
    method: 'GET',
    paths: ['/common/discovery/keys', `${issuerPath}/keys`],
    description: 'The public key of issued tokens.',
    handle: ({ method }, { jwks }) =>
      method === 'GET' ? jsonResponse(200, jwks) : emptyResponse(405, { allow: 'GET' }),
  },
];

/** Descriptions of the authorization server's routes for the index. */
export const signInRoutes: Readonly<Record<string, string>> = Object.fromEntries(
  endpoints.flatMap(({ method, paths, description }) =>
    paths.map((path) => [`${method} ${path}`, description]),
  ),
);

/** True for the paths of the authorization server, which are not part of the control API. */
export function isSignInPath(path: string): boolean {
  return path.startsWith('/common/') || path.startsWith(`${issuerPath}/`);
}

/** Handles a request of the authorization server (Authentication). */
export async function handleSignInRequest(request: ApiRequest, tokens: TokenService): Promise<ApiResponse> {
  const endpoint = endpoints.find(({ paths }) => paths.includes(request.path));
  if (endpoint) return endpoint.handle(request, tokens);
  return jsonResponse(404, { error: { code: 'NotFound', message: 'Unknown path. See GET /sandbox.' } });
}
