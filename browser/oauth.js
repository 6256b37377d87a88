/**
 * Signing in by authorization code and PKCE (RFC 6749, section 4.1; RFC 7636), as a public client. The
 * browser exchanges the code itself: the server of this page never sees a token.
 *
 * @typedef {{ state: string, verifier: string, returnTo: string }} Begun
 */
import * as oauth from './oauth4webapi/index.js';
import { signedIn } from './session.js';
import { settings } from './settings.js';

const { authorizeUrl, tokenUrl, clientId, scope, redirectPath } = settings;

/** Under this name, until the answer comes, what it must fit. */
const key = 'tributary.sign-in';

const redirectUri = location.origin + redirectPath;
const client = { client_id: clientId };
const server = {
  // Who it says it is is not known here, and nothing below asks.
  issuer: new URL(authorizeUrl).origin,
  authorization_endpoint: authorizeUrl,
  token_endpoint: tokenUrl,
};
// The settings allow http on the user's own machine only.
const options = { [oauth.allowInsecureRequests]: new URL(tokenUrl).protocol === 'http:' };

/** Leaves this page to sign in, and comes back to it afterwards. */
export async function beginSignIn() {
  if (!isSecureContext) throw new Error('Signing in needs https, or an address of this machine.');
  /** @type {Begun} */
  const begun = {
    state: oauth.generateRandomState(),
    verifier: oauth.generateRandomCodeVerifier(),
    returnTo: location.pathname + location.search + location.hash,
  };
  const address = new URL(authorizeUrl);
  address.search = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: begun.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
    code_challenge_method: 'S256',
  }).toString();
  sessionStorage.setItem(key, JSON.stringify(begun));
  location.assign(address);
}

/**
 * What a sign-in of this tab left behind, once.
 *
 * @returns {Begun | null}
 */
export function takeBegun() {
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  return kept === null ? null : JSON.parse(kept);
}

/**
 * Takes the answer to a sign-in.
 *
 * @param {URLSearchParams} answer
 * @param {Begun | null} begun
 */
export async function finishSignIn(answer, begun) {
  if (begun === null) throw new Error('No sign-in was begun in this tab.');
  // RFC 9207 keeps many authorization servers apart. There is one.
  answer.delete('iss');
  const granted = oauth.validateAuthResponse(server, client, answer, begun.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    granted,
    redirectUri,
    begun.verifier,
    options,
  );
  const result = await oauth.processAuthorizationCodeResponse(server, client, await withoutIdToken(response));
  signedIn(result.access_token, result.expires_in);
}

/**
 * What went wrong, for the user.
 *
 * @param {unknown} error
 * @returns {string}
 */
export function inWords(error) {
  if (error instanceof oauth.AuthorizationResponseError || error instanceof oauth.ResponseBodyError) {
    return `The authorization server says ${error.error}. ${error.error_description ?? ''}`.trim();
  }
  if (error instanceof oauth.OperationProcessingError) {
    return `The answer does not belong to what was asked here: ${error.message}.`;
  }
  if (error instanceof TypeError) {
    return `The code could not be exchanged. ${new URL(tokenUrl).origin} must answer, and let pages of ${location.origin} ask (CORS).`;
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * Who signed in is not asked here: what nobody reads need not be proven.
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
