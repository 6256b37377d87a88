import { ApiError } from '../api-error.ts';
import { principalOf } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse } from '../http.ts';
import { consentedScopes, impersonationScope, isImpersonation, readScopes, scopeService } from './scopes.ts';
import {
  claimsOf,
  isVerifierOf,
  publicClientId,
  serviceClient,
  type TokenGrant,
  type TokenService,
} from './tokens.ts';

/** Headers of responses to browsers that contain secrets or depend on them. */
export const secretResponseHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** The origin of a page on this machine. Only such pages may read responses. */
const loopbackOrigin = /^https?:\/\/(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/;

/** Handles a token request from a service, or from a page on this machine that exchanges its code. */
export async function handleTokenRequest(request: ApiRequest, tokens: TokenService): Promise<ApiResponse> {
  const { origin = '' } = request.headers;
  const isShared = loopbackOrigin.test(origin);
  const shared = isShared ? { 'access-control-allow-origin': origin } : {};
  const headers = { ...secretResponseHeaders, ...shared, vary: 'origin' };
  if (request.method === 'OPTIONS' && isShared) {
    const allowed = {
      'access-control-allow-methods': 'POST',
      'access-control-allow-headers': 'content-type, authorization',
    };
    return emptyResponse(204, { ...headers, ...allowed });
  }
  try {
    return jsonResponse(200, await issueToken(request, tokens), headers);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, extras } = error;
    return jsonResponse(
      status,
      { error: code, error_description: message },
      { ...headers, ...extras.headers },
    );
  }
}

async function issueToken(
  request: ApiRequest,
  tokens: TokenService,
): Promise<Readonly<Record<string, unknown>>> {
  const form = readForm(request);
  const type = form.get('grant_type') ?? '';
  const grantOf = Object.hasOwn(grantsByType, type) ? grantsByType[type] : undefined;
  if (type === '') throw oauthError('invalid_request', "The form requires a 'grant_type'.");
  if (!grantOf) {
    const known = Object.keys(grantsByType).join(', ');
    throw oauthError('unsupported_grant_type', `The grant type must be one of: ${known}.`);
  }
  authenticateClient(form, type);
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

type Form = URLSearchParams;

/** The handlers of each `grant_type`. They throw an `ApiError` with a code of RFC 6749, section 5.2. */
const grantsByType: Readonly<Record<string, (form: Form, tokens: TokenService) => TokenGrant>> = {
  authorization_code: grantForCode,
  client_credentials: grantForClient,
  'urn:ietf:params:oauth:grant-type:jwt-bearer': grantOnBehalfOf,
};

/** RFC 6749, section 4.1.3. A code is valid for one attempt. */
function grantForCode(form: Form, tokens: TokenService): TokenGrant {
  const [code, verifier] = [expectText(form, 'code'), expectText(form, 'code_verifier')];
  const redirectUri = expectText(form, 'redirect_uri');
  const found = tokens.codes.take(code);
  if (!found) throw oauthError('invalid_grant', 'The code is unknown, expired or used. Sign in again.');
  if (found.clientId !== form.get('client_id') || found.redirectUri !== redirectUri) {
    const bound = "another 'client_id' or 'redirect_uri'";
    throw oauthError('invalid_grant', `The code was issued for ${bound}. Sign in again.`);
  }
  if (!isVerifierOf(verifier, found.challenge)) {
    const expected = "the one whose SHA-256 digest the 'code_challenge' was";
    throw oauthError('invalid_grant', `The 'code_verifier' is not ${expected}. Sign in again.`);
  }
  return { name: found.name, scopes: found.scopes };
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
  const name = nameInAssertion(expectText(form, 'assertion'), tokens);
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
  if (bearer && !bearer.scopes && !bearer.isExpired) {
    throw oauthError('invalid_grant', 'The assertion must be the token of a person, not of a client.');
  }
  if (bearer?.isExpired || /^(?:expired|denied)/.test(name) || name.trim() === '' || name.length > 100) {
    throw oauthError(
      'invalid_grant',
      'The assertion has ended, or names nobody who may request. Sign in again.',
    );
  }
  return name;
}

/** Reads the form of a token request. Throws an `ApiError` when it is invalid. */
function readForm(request: ApiRequest): Form {
  if (request.method !== 'POST') {
    throw new ApiError(405, 'invalid_request', 'A token request must be a POST.', {
      headers: { allow: 'POST' },
    });
  }
  if (request.isBodyTooLarge) throw new ApiError(413, 'invalid_request', 'The form is too large.');
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers['content-type'] ?? ''))
    throw oauthError('invalid_request', 'The content type must be application/x-www-form-urlencoded.');
  const form = new URLSearchParams(request.body);
  if (hasRepeatedParameter(form)) throw oauthError('invalid_request', 'A parameter must not be repeated.');
  return form;
}

/** RFC 6749, section 3.1, forbids repeated parameters. */
export function hasRepeatedParameter(parameters: URLSearchParams): boolean {
  return new Set(parameters.keys()).size < parameters.size;
}

/** Returns a required field of a form. */
function expectText(form: Form, name: string): string {
  const text = form.get(name);
  if (!text) throw oauthError('invalid_request', `The form requires a '${name}'.`);
  return text;
}

/** An error with a code of RFC 6749, section 5.2. */
function oauthError(error: string, description: string): ApiError {
  return new ApiError(400, error, description);
}

/** Throws an `ApiError` for an unknown client, a wrong secret, or a client that may not use the grant type. */
function authenticateClient(form: Form, grantType: string): void {
  const id = expectText(form, 'client_id');
  const secret = form.get('client_secret') || undefined;
  const isForCode = grantType === 'authorization_code';
  if (!isForCode && id === publicClientId)
    throw oauthError('unauthorized_client', 'Only a client with a secret may use this grant type.');
  if (!isForCode && secret === undefined)
    throw oauthError('invalid_request', "The form requires a 'client_secret'.");
  const isValid =
    id === publicClientId ? secret === undefined : id === serviceClient.id && secret === serviceClient.secret;
  if (!isValid) throw new ApiError(401, 'invalid_client', 'The client is unknown, or its secret is wrong.');
}
