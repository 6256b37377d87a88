/**
 * Sign-in with authorization code and PKCE (RFC 6749, section 4.1; RFC 7636), as a public client. The browser exchanges
 * the code itself, so the server of this page takes no part in it.
 *
 * @typedef {{ state: string, verifier: string, returnTo: string }} PendingSignIn
 */
import * as oauth from './oauth4webapi/index.js';
import { requiredClaims, signedIn } from './session.js';
import { settings } from './settings.js';

const { authorizeUrl, tokenUrl, clientId, scope, redirectPath } = settings;

/** sessionStorage key of the pending sign-in. */
const key = 'tributary.sign-in';

const redirectUri = location.origin + redirectPath;
const client = { client_id: clientId };
const server = {
  // The real issuer is not configured; nothing below validates it.
  issuer: new URL(authorizeUrl).origin,
  authorization_endpoint: authorizeUrl,
  token_endpoint: tokenUrl,
};
// The settings allow plain HTTP for loopback hosts only.
const options = { [oauth.allowInsecureRequests]: new URL(tokenUrl).protocol === 'http:' };

/** Redirects to the authorization server, which returns to this page. */
export async function beginSignIn() {
  if (!isSecureContext) throw new Error('Sign-in requires HTTPS or localhost.');
  /** @type {PendingSignIn} */
  const pending = {
    state: oauth.generateRandomState(),
    verifier: oauth.generateRandomCodeVerifier(),
    returnTo: location.pathname + location.search + location.hash,
  };
  const claims = requiredClaims();
  const address = new URL(authorizeUrl);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: pending.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(pending.verifier),
    code_challenge_method: 'S256',
    ...(claims !== undefined && {
      claims: new TextDecoder().decode(Uint8Array.from(atob(claims), (one) => one.charCodeAt(0))),
    }),
  }).toString();
  sessionStorage.setItem(key, JSON.stringify(pending));
  location.assign(address);
}

/**
 * Takes and removes the pending sign-in of this tab.
 *
 * @returns {PendingSignIn | null}
 */
export function takePendingSignIn() {
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return kept === null ? null : JSON.parse(kept);
}

/**
 * Validates the authorization response and exchanges the code for a token.
 *
 * @param {URLSearchParams} answer
 * @param {PendingSignIn | null} pending
 */
export async function finishSignIn(answer, pending) {
  if (pending === null) throw new Error('No sign-in was started in this tab.');
  // `iss` (RFC 9207) distinguishes several authorization servers. There is one.
  answer.delete('iss');
  const granted = oauth.validateAuthResponse(server, client, answer, pending.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    granted,
    redirectUri,
    pending.verifier,
    options,
  );
  const result = await oauth.processAuthorizationCodeResponse(server, client, await withoutIdToken(response));
  signedIn(result.access_token, result.expires_in);
}

/**
 * Formats an error for the user.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function formatSignInError(error) {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return `The authorization server returned ${error.error}. ${error.error_description ?? ''}`.trim();
  }
  if (error instanceof oauth.OperationProcessingError) {
    return `The authorization response is invalid: ${error.message}.`;
  }
  if (error instanceof TypeError) {
    return `The token request failed. ${new URL(tokenUrl).origin} must be reachable and allow ${location.origin} (CORS).`;
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * Drops the ID token: nothing reads it, so it need not be validated.
 *
 * @param {Response} response
 */
async function withoutIdToken(response) {
  const body = await response
    .clone()
    .json()
    .catch(() => null);
  if (!response.ok || body?.id_token === undefined) return response;
  return Response.json({ ...body, id_token: undefined }, { status: response.status });
}
