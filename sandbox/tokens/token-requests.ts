import { ApiError } from '../api-error.ts';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { emptyResponse, jsonResponse } from '../http.ts';
import { authenticateClient, readClient } from './clients.ts';
import { oauthError, readForm } from './forms.ts';
import { grantsByType } from './grants.ts';
import { isLoopbackOrigin, secretResponseHeaders } from './loopback.ts';
import type { TokenService } from './tokens.ts';

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
