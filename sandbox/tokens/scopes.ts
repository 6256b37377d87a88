/**
 * People on the sign-in page. Any other name can sign in too. The prefix of a name decides its permissions, as
 * for any token; see `readCaller`.
 */
export const people: Readonly<Record<string, string>> = {
  ada: 'has all permissions',
  grace: 'has all permissions, as a person other than ada',
  reader: 'may read, but not write, stop or fetch sensitive events',
  limited: 'has all permissions, except to fetch sensitive events',
  guest: 'does not consent to user_impersonation, which instances and health events require',
  denied: 'has no permissions',
};

/** The scope of the document: the client acts for the person who signed in. */
export const impersonationScope = 'user_impersonation';

/** Scopes of OpenID Connect. They are accepted and ignored (gap: see docs/upstream.md). */
const ignoredScopes: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access']);

/** Parses scopes, without duplicates and ignored ones. */
export function readScopes(text: string): string[] {
  const named = text.split(' ').filter((scope) => scope !== '' && !ignoredScopes.has(scope));
  return [...new Set(named)];
}

/** True for `user_impersonation` of any service. */
export const isImpersonation = (scope: string): boolean => scopeName(scope) === impersonationScope;

/** The scopes that a person consents to, which can be fewer than requested (RFC 6749, section 3.3). */
export const consentedScopes = (name: string, scopes: readonly string[]): string[] =>
  scopes.filter((scope) => !name.startsWith('guest') || !isImpersonation(scope));

/** The claim `scp`: scopes without the service they belong to. */
export const scopeClaim = (scopes: readonly string[]): string =>
  [...new Set(scopes.map(scopeName))].join(' ');

/** The service that a scope belongs to; undefined for a scope that names none. */
export function scopeService(scope: string): string | undefined {
  return scope.slice(0, Math.max(0, scope.lastIndexOf('/'))) || undefined;
}

const scopeName = (scope: string): string => scope.slice(scope.lastIndexOf('/') + 1);
