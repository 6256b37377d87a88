import { ApiError } from '../api-error.ts';
import { principalOf } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, jsonResponse } from '../http.ts';
import {
  claimsOf,
  consentedScopes,
  impersonationScope,
  isImpersonation,
  isVerifierOf,
  publicClientId,
  readScopes,
  scopeService,
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
  const reason = 'unknown, expired or used, or of another sign-in';
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
