import {
  type AuthorizationServer,
  allowInsecureRequests,
  ClientSecretPost,
  clientCredentialsGrantRequest,
  customFetch,
  genericTokenEndpointRequest,
  processClientCredentialsResponse,
  processGenericTokenEndpointResponse,
} from 'oauth4webapi';
import { isJsonObject, stringOrNull } from '../../runtime/json.ts';
import type { OutboundFetch } from '../wire/outbound-fetch.ts';
import { claimsRequired, encodeClaims } from './bearer.ts';
import { TokenError, type TokenGrant } from './token-cache.ts';

/** An OAuth 2.0 token endpoint, with Tributary's client credentials. */
export interface TokenEndpoint {
  /** Requests a token for Tributary itself (RFC 6749, section 4.4). Throws `TokenError`. */
  requestOwnToken(): Promise<TokenGrant>;
  /** Requests a token on behalf of the caller with this token (RFC 7523, `on_behalf_of`). Throws `TokenError`. */
  requestTokenOnBehalfOf(callersToken: string): Promise<TokenGrant>;
}

export interface TokenEndpointOptions {
  readonly url: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scope: string | null;
  readonly timeoutMs: number;
  readonly fetch: OutboundFetch;
  /** The settings that may cause a refusal, for error messages. */
  readonly settingNames: string;
  /** Called if the endpoint rejects the settings of this deployment. `reason` contains no secret. */
  onMisconfigured(reason: string): void;
}

const jwtBearerGrant = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export function createTokenEndpoint(options: TokenEndpointOptions): TokenEndpoint {
  const { url, clientId, clientSecret, timeoutMs } = options;
  const server: AuthorizationServer = { issuer: new URL(url).origin, token_endpoint: url };
  const client = { client_id: clientId };
  const secret = () => ClientSecretPost(clientSecret);
  const scope: Record<string, string> = options.scope === null ? {} : { scope: options.scope };
  const limits = () => ({
    signal: AbortSignal.timeout(timeoutMs),
    [customFetch]: options.fetch,
    [allowInsecureRequests]: url.startsWith('http:'),
  });

  const toOperatorError = ({ reason }: Refusal): TokenError => {
    options.onMisconfigured(reason);
    return new TokenError(
      'UPSTREAM_NOT_CONFIGURED',
      `The token endpoint refused this deployment a token. Operators find the reason in the log, and check ${options.settingNames}.`,
    );
  };

  return {
    async requestOwnToken() {
      const response = await awaitResponse(
        clientCredentialsGrantRequest(server, client, secret(), scope, limits()),
        toOperatorError,
      );
      return readGrant(processClientCredentialsResponse(server, client, response));
    },
    async requestTokenOnBehalfOf(callersToken) {
      const parameters = { ...scope, assertion: callersToken, requested_token_use: 'on_behalf_of' };
      const response = await awaitResponse(
        genericTokenEndpointRequest(server, client, secret(), jwtBearerGrant, parameters, limits()),
        (refusal) => toCallerError(refusal) ?? toOperatorError(refusal),
      );
      return readGrant(processGenericTokenEndpointResponse(server, client, response));
    },
  };
}

interface Refusal {
  /** The OAuth error and the service's own error number; empty if the response names none. */
  readonly error: string;
  readonly number: string;
  readonly claims: string | null;
  /** Status, error and number, for operators. */
  readonly reason: string;
}

// The library's errors contain the response, which may contain secrets. So only the validated fields of a refusal are kept.
async function awaitResponse(
  sent: Promise<Response>,
  toError: (refusal: Refusal) => TokenError,
): Promise<Response> {
  const response = await sent.catch(() => {
    throw createUnavailableError();
  });
  const { status } = response;
  const json: unknown = await response
    .clone()
    .json()
    .catch(() => null);
  const body = isJsonObject(json) ? json : {};
  const isRefused = status >= 400 && status < 500 && status !== 408 && status !== 429;
  if (isRefused) {
    const error = /^[a-z_]{1,40}$/.exec(stringOrNull(body.error) ?? '')?.[0] ?? '';
    const [code] = Array.isArray(body.error_codes) ? body.error_codes : [];
    const text = `${stringOrNull(body.error_description)} AADSTS${typeof code === 'number' ? code : ''}`;
    const number = /\bAADSTS\d{4,8}\b/.exec(text)?.[0] ?? '';
    const reason = [`status ${status}`, error, number].filter(Boolean).join(', ');
    throw toError({ error, number, claims: encodeClaims(body.claims), reason });
  }
  // Remove the ID token, which is not needed: the library would verify it, and has no keys.
  if (!response.ok || body.id_token === undefined) return response;
  try {
    return Response.json({ ...body, id_token: undefined }, { status });
  } catch {
    // The JSON is nested too deeply to be serialized.
    throw createUnavailableError();
  }
}

const callerErrors = new Set(['invalid_grant', 'interaction_required', 'consent_required', 'login_required']);
// Sent as `invalid_grant`, too, but no sign-in resolves them: an invalid secret, or an unknown resource or tenant.
const operatorNumbers = /^AADSTS(?:50001|500011|700016|7000215|7000222|90002)$/;
const policyNumber = 'AADSTS53003';
const interactionNumbers = /^AADSTS(?:5007[2469]|50158)$/;

/** Returns the error of a refusal that the caller can resolve; null for any other. */
function toCallerError({ error, number, claims }: Refusal): TokenError | null {
  if (!callerErrors.has(error) || operatorNumbers.test(number)) return null;
  if (error === 'consent_required' || number === 'AADSTS65001')
    return new TokenError(
      'UNAUTHENTICATED',
      'Consent to the upstream is missing. Sign in again and consent, or ask an administrator to.',
      { oauthError: 'consent_required', claims },
    );
  if (claims !== null || error === 'interaction_required' || interactionNumbers.test(number))
    return new TokenError('UNAUTHENTICATED', claims === null ? interactionRequired : claimsRequired, {
      oauthError: 'interaction_required',
      claims,
    });
  if (number === policyNumber) return new TokenError('FORBIDDEN', policyForbids);
  return new TokenError('UNAUTHENTICATED', 'The token was not accepted. Sign in again and resend.');
}

const policyForbids =
  "A policy of the caller's tenant (conditional access) does not grant this caller a token for the upstream. An administrator can change it.";
const interactionRequired =
  'The sign-in needs a further step, such as a second factor. Sign in again and resend.';

const createUnavailableError = () =>
  new TokenError(
    'UPSTREAM_UNAVAILABLE',
    'The token endpoint did not grant a token for the upstream. Try again later.',
  );

async function readGrant(
  pending: Promise<{ readonly access_token: string; readonly expires_in?: number }>,
): Promise<TokenGrant> {
  const response = await pending.catch(() => null);
  // A token that is invalid in a header would fail every call, as if the call had been sent.
  if (!response || !/^[\x21-\x7e]+$/.test(response.access_token)) throw createUnavailableError();
  return {
    token: response.access_token,
    lifetimeMs: response.expires_in === undefined ? null : response.expires_in * 1_000,
  };
}
