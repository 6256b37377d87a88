import { ApiError } from '../api-error.ts';
import { principalOf } from '../bearer.ts';
import { type ApiRequest, type ApiResponse, emptyResponse, jsonResponse } from '../http.ts';
import {
  authenticateClient,
  type ClaimedClient,
  expectText,
  oauthError,
  readClient,
  readForm,
} from './clients.ts';
import {
  consentedScopes,
  impersonationScope,
  isImpersonation,
  isLoopbackOrigin,
  readScopes,
  scopeService,
  secretResponseHeaders,
} from './consent.ts';
import { claimsOf, isVerifierOf, type TokenGrant, type TokenService } from './tokens.ts';

/** Handles a token request from a service, or from a page on this machine that exchanges its code. */
export async function handleTokenRequest(request: ApiRequest, tokens: TokenService): Promise<ApiResponse> {
  const { origin } = request.headers;
  const shared = isLoopbackOrigin(origin) ? { 'access-control-allow-origin': origin } : {};
  const headers = { ...secretResponseHeaders, ...shared, vary: 'origin' };
  if (request.method === 'OPTIONS' && isLoopbackOrigin(origin)) {
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
  const client = readClient(request, form);
  const type = form.get('grant_type') ?? '';
  const grantOf = Object.hasOwn(grantsByType, type) ? grantsByType[type] : undefined;
  if (type === '') throw oauthError('invalid_request', "The form requires a 'grant_type'.");
  if (!grantOf) {
    const known = Object.keys(grantsByType).join(', ');
    throw oauthError('unsupported_grant_type', `The grant type must be one of: ${known}.`);
  }
  authenticateClient(client, type, tokens.clients);
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

type Form = URLSearchParams;

/** The handlers of each `grant_type`. They throw an `ApiError` with a code of RFC 6749, section 5.2. */
const grantsByType: Readonly<
  Record<string, (form: Form, client: ClaimedClient, tokens: TokenService) => TokenGrant>
> = {
  authorization_code: grantForCode,
  client_credentials: grantForClient,
  'urn:ietf:params:oauth:grant-type:jwt-bearer': grantOnBehalfOf,
};

/** RFC 6749, section 4.1.3. A code is valid for one attempt. A second attempt revokes the tokens of the first. */
function grantForCode(form: Form, { id }: ClaimedClient, tokens: TokenService): TokenGrant {
  const [code, verifier] = [expectText(form, 'code'), expectText(form, 'code_verifier')];
  const redirectUri = expectText(form, 'redirect_uri');
  const found = tokens.codes.take(code);
  if (found === 'isUsed') tokens.revoke(code);
  if (found === undefined || found === 'isUsed') {
    throw oauthError('invalid_grant', 'The code is unknown, expired or used. Sign in again.');
  }
  if (found.clientId !== id || found.redirectUri !== redirectUri) {
    const bound = "another 'client_id' or 'redirect_uri'";
    throw oauthError('invalid_grant', `The code was issued for ${bound}. Sign in again.`);
  }
  if (!isVerifierOf(verifier, found.challenge)) {
    const expected = "the one whose SHA-256 digest the 'code_challenge' was";
    throw oauthError('invalid_grant', `The 'code_verifier' is not ${expected}. Sign in again.`);
  }
  return { name: found.name, scopes: found.scopes, code };
}

/** RFC 6749, section 4.4. */
function grantForClient(form: Form, { id }: ClaimedClient): TokenGrant {
  const scope = form.get('scope') ?? '';
  if (!/^\S*\/\.default$/.test(scope)) {
    throw oauthError('invalid_scope', "The form requires a 'scope' that ends in '/.default'.");
  }
  return { name: id, audience: scopeService(scope) };
}

/** RFC 7523, section 2.1, as on the real service: a token of another service for the subject of the assertion. */
function grantOnBehalfOf(form: Form, _client: ClaimedClient, tokens: TokenService): TokenGrant {
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
