import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse } from '../http.ts';
import { handleTokenRequest, secretResponseHeaders } from './token-requests.ts';
import {
  consentedScopes,
  impersonationScope,
  isImpersonation,
  people,
  publicClientId,
  readScopes,
  serviceClient,
  type TokenService,
} from './tokens.ts';

/**
 * Signs a person in, by picking a name or by `login_hint`, and redirects back with a code (RFC 6749, section
 * 4.1, with RFC 7636). Errors are sent to the redirect address, unless the address or the client is invalid.
 */
function handleAuthorize(request: ApiRequest, tokens: TokenService): ApiResponse {
  const parameters = new URLSearchParams(request.query);
  const get = (name: string) => parameters.get(name) ?? '';
  if (get('client_id') !== publicClientId || !isRedirectAddress(get('redirect_uri'))) {
    const body = `The 'client_id' must be ${publicClientId}, the 'redirect_uri' an address on this machine.`;
    return { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
  }
  const scopes = readScopes(get('scope'));
  const [challenge, name] = [get('code_challenge'), get('login_hint')];
  const isValid =
    get('response_type') === 'code' &&
    scopes.some(isImpersonation) &&
    get('code_challenge_method') === 'S256' &&
    /^[\w-]{43}$/.test(challenge) &&
    // Without a tilde, which separates the name from the rest of a token.
    /^[\w.@+-]{0,100}$/.test(name);
  if (!isValid) {
    const error_description = `A sign-in requires response_type=code, a scope with ${impersonationScope}, and a code_challenge by S256.`;
    return redirectBack(parameters, { error: 'invalid_request', error_description });
  }
  if (name === '') return signInPage(parameters);
  const redirectUri = get('redirect_uri');
  const code = tokens.codes.create({ redirectUri, challenge, name, scopes: consentedScopes(name, scopes) });
  return redirectBack(parameters, { code });
}

/** True for a valid redirect address: on this machine, with any port, without a user or a fragment. */
function isRedirectAddress(text: string): boolean {
  if (!URL.canParse(text) || text.includes('#')) return false;
  const { protocol, hostname, username, password } = new URL(text);
  const isLoopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  return /^https?:$/.test(protocol) && isLoopback && username === '' && password === '';
}

/** Redirects back with a result in the query. */
function redirectBack(parameters: URLSearchParams, result: Readonly<Record<string, string>>): ApiResponse {
  const { href } = new URL(parameters.get('redirect_uri') ?? '');
  const state = parameters.get('state');
  const answer = new URLSearchParams({ ...result, ...(state ? { state } : {}) });
  const mark = href.includes('?') ? '&' : '?';
  return emptyResponse(302, { location: `${href}${mark}${answer}`, ...secretResponseHeaders });
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ...secretResponseHeaders,
};

/** The page to pick a person on. Each link repeats the request with a `login_hint`. */
function signInPage(parameters: URLSearchParams): ApiResponse {
  const link = (address: string, text: string) => `<a href="${escapeHtml(address)}">${text}</a>`;
  const links = people.map((name) => {
    const query = new URLSearchParams(parameters);
    query.set('login_hint', name);
    return `<li>${link(`?${query}`, name)}</li>`;
  });
  const cancelled = { error: 'access_denied', error_description: 'The sign-in was cancelled.' };
  const cancelAddress = redirectBack(parameters, cancelled).headers.location ?? '';
  const body = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Sign in to the sandbox</title></head>
<body><main><h1>Sign in to the sandbox</h1><p>Who are you?</p>
<ul>${links.join('')}</ul>
<p>${link(cancelAddress, 'Cancel')}</p></main></body></html>`;
  return { status: 200, headers: pageHeaders, body };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

interface Endpoint {
  readonly description: string;
  handle(request: ApiRequest, tokens: TokenService): ApiResponse | Promise<ApiResponse>;
}

const endpoints: Readonly<Record<string, Endpoint>> = {
  'GET /common/oauth2/authorize': {
    description: `Signs in: response_type=code, code_challenge and code_challenge_method=S256, client_id=${publicClientId}, redirect_uri on this machine, scope=user_impersonation, state; login_hint=ada skips the page.`,
    handle: handleAuthorize,
  },
  'POST /common/oauth2/token': {
    description: `Issues a token for a form. For a service: grant_type=client_credentials, client_id=${serviceClient.id}, client_secret=${serviceClient.secret}, scope=…/.default. For a code: grant_type=authorization_code, client_id=${publicClientId}, code, redirect_uri, code_verifier. On behalf of the subject of a token: grant_type=urn:ietf:params:oauth:grant-type:jwt-bearer, requested_token_use=on_behalf_of, assertion, client_id, client_secret, scope=…/.default. The journal records it without secrets.`,
    handle: handleTokenRequest,
  },
  'GET /common/discovery/keys': {
    description: 'The public key of issued tokens.',
    handle: (_request, { jwks }) => jsonResponse(200, jwks),
  },
};

/** Descriptions of the authorization server's routes for the index. */
export const signInRoutes: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(endpoints).map(([route, { description }]) => [route, description]),
);

/** True for the paths of the authorization server. */
export function isSignInPath(path: string): boolean {
  return path.startsWith('/common/');
}

/** Handles a request of the authorization server (Authentication). */
export async function handleSignInRequest(request: ApiRequest, tokens: TokenService): Promise<ApiResponse> {
  const endpoint = endpoints[`${request.method} ${request.path}`];
  if (endpoint) return endpoint.handle(request, tokens);
  return jsonResponse(404, { error: { code: 'NotFound', message: 'Unknown path. See GET /sandbox.' } });
}
