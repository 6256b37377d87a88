import type { Answer, Call } from '../http.ts';
import { mistakePage, signInPage } from './authorize-page.ts';
import { isChallenge } from './codes.ts';
import { grantedBy, impersonation, isImpersonation, isName, readScopes } from './consent.ts';
import { hasRepeated } from './forms.ts';
import { isRedirectAddress, redirectTo } from './loopback.ts';
import type { Tokens } from './tokens.ts';

type Refused = readonly [error: string, description: string];

/**
 * Lets somebody sign in, by picking a name or by `login_hint`, and leads back with a code (RFC 6749,
 * section 4.1, with RFC 7636) or with a token (section 4.2: the implicit flow, which the document
 * names). A mistake is told to the address that was named, unless that or the client may be false.
 */
export async function answerAuthorize(call: Call, tokens: Tokens): Promise<Answer> {
  if (call.method !== 'GET') return mistakePage(405, 'Signing in begins with a GET.', { allow: 'GET' });
  const asked = new URLSearchParams(call.query);
  const mistake = mistakeAboutClient(asked, tokens);
  if (mistake !== undefined) return mistakePage(400, mistake);

  const lead = (parameters: Readonly<Record<string, string>>): Answer => leadBack(asked, parameters);
  const [error, description] = refusalOf(asked) ?? [];
  if (error !== undefined) return lead(told(error, description));
  const name = asked.get('login_hint') || undefined;
  if (name === undefined) {
    const cancelled = lead(told('access_denied', 'Nobody signed in.'));
    return signInPage(asked, cancelled.headers.location ?? '');
  }

  const scopes = grantedBy(name, readScopes(asked.get('scope') ?? ''));
  if (asked.get('response_type') === 'code') {
    const code = tokens.codes.create({
      clientId: asked.get('client_id') ?? '',
      redirectUri: asked.get('redirect_uri') ?? '',
      challenge: asked.get('code_challenge') ?? '',
      name,
      scopes,
    });
    return lead({ code });
  }
  const { token, expiresIn } = await tokens.issue({ name, scopes });
  return lead({
    access_token: token,
    token_type: 'Bearer',
    expires_in: String(expiresIn),
    scope: scopes.join(' '),
  });
}

function mistakeAboutClient(asked: URLSearchParams, { clients }: Tokens): string | undefined {
  const [ids, addresses] = [asked.getAll('client_id'), asked.getAll('redirect_uri')];
  if (ids.length !== 1 || !clients.ids.includes(ids[0] ?? '')) {
    return `The 'client_id' must be one of: ${clients.ids.join(', ')}. It is '${ids.join(', ')}'.`;
  }
  if (addresses.length !== 1 || !isRedirectAddress(addresses[0] ?? '')) {
    return `The 'redirect_uri' must be one http or https address on localhost, 127.0.0.1 or [::1], without a user or a fragment. It is '${addresses.join(', ')}'.`;
  }
  return undefined;
}

function refusalOf(asked: URLSearchParams): Refused | undefined {
  const type = asked.get('response_type');
  if (hasRepeated(asked)) return ['invalid_request', 'Each parameter may come once.'];
  if (!type) return ['invalid_request', "The parameter 'response_type' must be 'code' or 'token'."];
  if (type !== 'code' && type !== 'token') {
    return ['unsupported_response_type', "The 'response_type' must be 'code' or 'token'."];
  }
  if (!readScopes(asked.get('scope') ?? '').some(isImpersonation)) {
    return ['invalid_scope', `The 'scope' must hold '${impersonation}', of whichever service.`];
  }
  const isHashed = asked.get('code_challenge_method') === 'S256';
  if (type === 'code' && !(isHashed && isChallenge(asked.get('code_challenge') ?? ''))) {
    const needed = "a 'code_challenge' of 43 characters and the 'code_challenge_method' S256";
    return ['invalid_request', `A code needs ${needed} (RFC 7636).`];
  }
  if (!isName(asked.get('login_hint') || 'anyone')) {
    return ['invalid_request', "The 'login_hint' must be a name of letters, digits and _ . @ + -"];
  }
  return undefined;
}

function told(error: string, description = ''): Readonly<Record<string, string>> {
  return { error, error_description: description };
}

function leadBack(asked: URLSearchParams, parameters: Readonly<Record<string, string>>): Answer {
  const state = asked.get('state');
  const isInFragment = asked.get('response_type') === 'token';
  return redirectTo(
    asked.get('redirect_uri') ?? '',
    { ...parameters, ...(state ? { state } : {}) },
    isInFragment,
  );
}
