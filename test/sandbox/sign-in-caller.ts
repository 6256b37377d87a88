import { createHash } from 'node:crypto';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import type { Json } from '../support/json.ts';
import type { Reply } from './caller.ts';

type Changes = Readonly<Record<string, string>>;

interface Target {
  readonly url: string;
  send(method: string, path: string, options?: Json): Promise<Reply>;
}

/** Where a test says that its page is. */
export const redirectUri = 'http://localhost:4000/signed-in?page=1';
export const verifier = 'a-verifier-of-forty-three-characters-or-more';
const jwtBearer = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

/** What asks for a code. */
export const usualQuestion = {
  response_type: 'code',
  client_id: 'explorer',
  redirect_uri: redirectUri,
  scope: 'user_impersonation',
  state: 'a state & more',
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
};

/** What an answer to a sign-in tells in the query of the address it leads to. */
export const toldIn = (location: string | null): Record<string, string> =>
  Object.fromEntries(new URL(location ?? 'about:blank').searchParams);

/** The sign-in and the token endpoint of a sandbox. */
export function signInCalls(sandbox: Target) {
  /** What a browser is answered, without going where it is led. */
  async function authorize(changes: Changes = {}) {
    const query = new URLSearchParams({ ...usualQuestion, ...changes });
    const response = await fetch(`${sandbox.url}/common/oauth2/authorize?${query}`, { redirect: 'manual' });
    const location = response.headers.get('location');
    return { status: response.status, headers: response.headers, text: await response.text(), location };
  }

  const codeOf = async (name: string, changes: Changes = {}): Promise<string> =>
    toldIn((await authorize({ ...changes, login_hint: name })).location).code ?? '';

  const ask = (fields: Changes, headers: Changes = {}): Promise<Reply> =>
    sandbox.send('POST', '/common/oauth2/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams(fields).toString(),
    });

  /** What a code is exchanged for. */
  const exchange = (code: string, changes: Changes = {}) =>
    ask({
      grant_type: 'authorization_code',
      client_id: 'explorer',
      code,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      ...changes,
    });

  const service = {
    client_id: 'tributary',
    client_secret: 'sandbox-secret',
    scope: 'https://api.businesscentral.dynamics.com/.default',
  };

  return {
    authorize,
    codeOf,
    exchange,
    /** The token of a person who signed in. */
    tokenOf: async (name: string): Promise<string> => (await exchange(await codeOf(name))).body.access_token,
    /** A token for the client itself. */
    askForClient: (changes: Changes = {}, headers: Changes = {}) =>
      ask({ grant_type: 'client_credentials', ...service, ...changes }, headers),
    askOnBehalfOf: (assertion: string, changes: Changes = {}) =>
      ask({ grant_type: jwtBearer, requested_token_use: 'on_behalf_of', ...service, assertion, ...changes }),
    /** The claims of a token, which must be signed with one of the keys that are published. */
    async verified(token: string): Promise<JWTPayload> {
      const keys = createRemoteJWKSet(new URL(`${sandbox.url}/common/discovery/keys`));
      return (await jwtVerify(token, keys, { algorithms: ['ES256'] })).payload;
    },
  };
}
