import { createHash } from 'node:crypto';
import { createRemoteJWKSet, type JWTPayload, jwtVerify } from 'jose';
import type { Json } from '../support/json.ts';
import type { Reply } from './caller.ts';

/** Where a test says that its page is. */
export const redirectUri = 'http://localhost:4000/signed-in?page=1';

export const verifier = 'a-verifier-of-forty-three-characters-or-more';
const challenge = createHash('sha256').update(verifier).digest('base64url');

/** What asks for a code. */
export const usualQuestion = {
  response_type: 'code',
  client_id: 'explorer',
  redirect_uri: redirectUri,
  scope: 'user_impersonation',
  state: 'a state & more',
  code_challenge: challenge,
  code_challenge_method: 'S256',
};

export const form = { 'content-type': 'application/x-www-form-urlencoded' };

interface Target {
  readonly url: string;
  send(method: string, path: string, options?: Json): Promise<Reply>;
}

/** What a browser is answered, without going where it is led. */
export async function authorize(target: Target, changes: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams({ ...usualQuestion, ...changes });
  const response = await fetch(`${target.url}/common/oauth2/authorize?${query}`, { redirect: 'manual' });
  const location = response.headers.get('location');
  return { status: response.status, headers: response.headers, text: await response.text(), location };
}

/** What an answer to a sign-in tells in the query of the address it leads to. */
export const toldIn = (location: string | null): Record<string, string> =>
  Object.fromEntries(new URL(location ?? 'about:blank').searchParams);

export async function codeOf(
  target: Target,
  name: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<string> {
  return toldIn((await authorize(target, { ...changes, login_hint: name })).location).code ?? '';
}

/** What a code is exchanged for. */
export function exchange(
  target: Target,
  code: string,
  changes: Readonly<Record<string, string>> = {},
): Promise<Reply> {
  const fields = {
    grant_type: 'authorization_code',
    client_id: 'explorer',
    code,
    redirect_uri: redirectUri,
    code_verifier: verifier,
    ...changes,
  };
  return target.send('POST', '/common/oauth2/token', {
    headers: form,
    body: new URLSearchParams(fields).toString(),
  });
}

/** The token of a person who signed in. */
export async function tokenOf(target: Target, name: string): Promise<string> {
  return (await exchange(target, await codeOf(target, name))).body.access_token;
}

/** The claims of a token, which must be signed with one of the keys that are published. */
export async function verified(target: Target, token: string): Promise<JWTPayload> {
  const keys = createRemoteJWKSet(new URL(`${target.url}/common/discovery/keys`));
  return (await jwtVerify(token, keys, { algorithms: ['ES256'] })).payload;
}
