import type { ClaimedClient } from './clients.ts';
import { isVerifierOf } from './codes.ts';
import { grantedBy, impersonation, isImpersonation, readScopes, serviceOf } from './consent.ts';
import { expectText, refused } from './forms.ts';
import type { Grant, Tokens } from './tokens.ts';
import { claimsOf } from './tokens.ts';

type Form = URLSearchParams;

/** What a form asks for, by its `grant_type`. Each throws a `Refusal` with a code of RFC 6749, section 5.2. */
export const grants: Readonly<Record<string, (form: Form, client: ClaimedClient, tokens: Tokens) => Grant>> =
  {
    authorization_code: forCode,
    client_credentials: forItself,
    'urn:ietf:params:oauth:grant-type:jwt-bearer': onBehalfOf,
  };

/** RFC 6749, section 4.1.3. A code is good for one try; after another, so are the tokens it gave. */
function forCode(form: Form, { id }: ClaimedClient, tokens: Tokens): Grant {
  const [code, verifier] = [expectText(form, 'code'), expectText(form, 'code_verifier')];
  const redirectUri = expectText(form, 'redirect_uri');
  const found = tokens.codes.take(code);
  if (found === 'isUsed') tokens.revoke(code);
  if (found === undefined || found === 'isUsed') {
    throw refused('invalid_grant', 'The code is not known, has ended or was used before. Sign in again.');
  }
  if (found.clientId !== id || found.redirectUri !== redirectUri) {
    const bound = "another 'client_id' or 'redirect_uri'";
    throw refused('invalid_grant', `The code was asked for with ${bound}. Sign in again.`);
  }
  if (!isVerifierOf(verifier, found.challenge)) {
    const expected = "the one whose SHA-256 digest the 'code_challenge' was";
    throw refused('invalid_grant', `The 'code_verifier' is not ${expected}. Sign in again.`);
  }
  return { name: found.name, scopes: found.scopes, code };
}

/** RFC 6749, section 4.4. */
function forItself(form: Form, { id }: ClaimedClient): Grant {
  const scope = form.get('scope') ?? '';
  if (!/^\S*\/\.default$/.test(scope)) {
    throw refused('invalid_scope', "The form needs a 'scope' that ends in '/.default'.");
  }
  return { name: id, audience: serviceOf(scope) };
}

/** RFC 7523, section 2.1, as the real service has it: for whom the assertion speaks, to another service. */
function onBehalfOf(form: Form, _client: ClaimedClient, tokens: Tokens): Grant {
  if (form.get('requested_token_use') !== 'on_behalf_of') {
    throw refused('invalid_request', "The 'requested_token_use' must be 'on_behalf_of'.");
  }
  const name = nameIn(expectText(form, 'assertion'), tokens);
  const [scope = '', ...others] = readScopes(form.get('scope') ?? '');
  if (others.length > 0 || !(scope.endsWith('/.default') || isImpersonation(scope))) {
    const expected = `end in '/.default' or '${impersonation}'`;
    throw refused('invalid_scope', `The form needs a 'scope', of one service, that must ${expected}.`);
  }
  const asked = scope.replace(/\.default$/, impersonation);
  return { name, audience: serviceOf(scope), scopes: grantedBy(name, [asked]) };
}

/** Whom an assertion speaks for. As a bearer token, any text will do (gap: see docs/upstream.md). */
function nameIn(assertion: string, tokens: Tokens): string {
  const bearer = tokens.read(assertion);
  const { sub } = claimsOf(assertion);
  const name = bearer?.name ?? (typeof sub === 'string' ? sub : assertion).split('~', 1)[0] ?? '';
  if (bearer && !bearer.scopes && !bearer.hasEnded) {
    throw refused('invalid_grant', 'The assertion must be the token of a person, not that of a client.');
  }
  if (bearer?.hasEnded || /^(?:expired|denied)/.test(name) || name.trim() === '' || name.length > 100) {
    throw refused('invalid_grant', 'The assertion has ended, or names nobody who may call. Sign in again.');
  }
  return name;
}
