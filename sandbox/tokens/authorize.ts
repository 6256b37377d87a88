import { ApiError } from '../api-error.ts';
import { principalOf } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse } from '../http.ts';
import {
  claimsOf,
  consentedScopes,
  impersonationScope,
  isImpersonation,
  isVerifierOf,
  people,
  publicClientId,
  readScopes,
  scopeService,
  serviceClient,
  type TokenGrant,
  type TokenService,
} from './tokens.ts';

/** Headers of responses to browsers that contain secrets or depend on them. */
const secretResponseHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

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

/** The origin of a page on this machine. Only such pages may read responses. */
const loopbackOrigin = /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/** Handles a token request from a service, or from a page on this machine that exchanges its code. */
async function handleTokenRequest(request: ApiRequest, tokens: TokenService): Promise<ApiResponse> {
  const { origin = '' } = request.headers;
  const shared = loopbackOrigin.test(origin) ? { 'access-control-allow-origin': origin } : {};
  const headers = { ...secretResponseHeaders, ...shared, vary: 'origin' };
  try {
    return jsonResponse(200, await issueToken(new URLSearchParams(request.body), tokens), headers);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message } = error;
    return jsonResponse(status, { error: code, error_description: message }, headers);
  }
}

type Form = URLSearchParams;

async function issueToken(form: Form, tokens: TokenService): Promise<Readonly<Record<string, unknown>>> {
  const grantOf = grantsByType.get(form.get('grant_type') ?? '');
  if (!grantOf) {
    const known = [...grantsByType.keys()].join(', ');
    throw oauthError('unsupported_grant_type', `The grant type must be one of: ${known}.`);
  }
  const isForCode = grantOf === grantForCode;
  const client = isForCode ? { id: publicClientId, secret: '' } : serviceClient;
  if (form.get('client_id') !== client.id || (form.get('client_secret') ?? '') !== client.secret)
    throw new ApiError(401, 'invalid_client', 'The client is unknown, or its secret is wrong.');
  const grant = grantOf(form, tokens);
  const { token, expiresIn } = await tokens.issue(grant);
  return {
    token_type: 'Bearer',
    ...(grant.scopes ? { scope: grant.scopes.join(' ') } : {}),
    expires_in: expiresIn,
    ext_expires_in: expiresIn,
    access_token: token,
  };
}

/** The handlers of each `grant_type`. They throw an `ApiError` with a code of RFC 6749, section 5.2. */
const grantsByType = new Map<string, (form: Form, tokens: TokenService) => TokenGrant>([
  ['authorization_code', grantForCode],
  ['client_credentials', grantForClient],
  ['urn:ietf:params:oauth:grant-type:jwt-bearer', grantOnBehalfOf],
]);

/** RFC 6749, section 4.1.3. A code is valid for one attempt. */
function grantForCode(form: Form, tokens: TokenService): TokenGrant {
  const found = tokens.codes.take(form.get('code') ?? '');
  const isForSignIn =
    found?.redirectUri === form.get('redirect_uri') &&
    isVerifierOf(form.get('code_verifier') ?? '', found.challenge);
  if (isForSignIn) return { name: found.name, scopes: found.scopes };
  const reason = 'unknown or used, or of another sign-in';
  throw oauthError('invalid_grant', `The code is ${reason}. Sign in again.`);
}

/** RFC 6749, section 4.4. */
function grantForClient(form: Form): TokenGrant {
  const scope = form.get('scope') ?? '';
  if (!/^\S*\/\.default$/.test(scope)) {
    throw oauthError('invalid_scope', "The form requires a 'scope' that ends in '/.default'.");
  }
  return { name: serviceClient.id, audience: scopeService(scope) };
}

/** RFC 7523, section 2.1, as on the real service: a token of another service for the subject of the assertion. */
function grantOnBehalfOf(form: Form, tokens: TokenService): TokenGrant {
  if (form.get('requested_token_use') !== 'on_behalf_of') {
    throw oauthError('invalid_request', "The 'requested_token_use' must be 'on_behalf_of'.");
  }
  const name = nameInAssertion(form.get('assertion') ?? '', tokens);
  const [scope = '', ...others] = readScopes(form.get('scope') ?? '');
  if (others.length > 0 || !(scope.endsWith('/.default') || isImpersonation(scope))) {
    const expected = `end in '/.default' or '${impersonationScope}'`;
    throw oauthError('invalid_scope', `The form requires a 'scope' of one service, which must ${expected}.`);
  }
  const requestedScope = scope.replace(/\.default$/, impersonationScope);
  return { name, audience: scopeService(scope), scopes: consentedScopes(name, [requestedScope]) };
}

/** The subject of an assertion. Any text is accepted, as for bearer tokens (gap: see docs/upstream.md). */
function nameInAssertion(assertion: string, tokens: TokenService): string {
  const bearer = tokens.read(assertion);
  const { sub } = claimsOf(assertion);
  const name = bearer?.name ?? principalOf(typeof sub === 'string' ? sub : assertion);
  const isOfPerson = bearer === undefined || (bearer.scopes !== undefined && !bearer.isExpired);
  if (isOfPerson && !/^(?:expired|denied)/.test(name) && name.trim() !== '' && name.length <= 100)
    return name;
  throw oauthError(
    'invalid_grant',
    'The assertion has ended, or is not the token of a person who may request.',
  );
}

/** An error with a code of RFC 6749, section 5.2. */
function oauthError(error: string, description: string): ApiError {
  return new ApiError(400, error, description);
}
