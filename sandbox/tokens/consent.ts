import { type ApiResponse, emptyResponse } from '../http.ts';

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

/** True for a valid name. It has no tilde, which separates the name from the rest of a token. */
export function isName(text: string): boolean {
  return /^[\w.@+-]{1,100}$/.test(text);
}

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
export function isImpersonation(scope: string): boolean {
  return scopeName(scope) === impersonationScope;
}

/** The scopes that a person consents to, which can be fewer than requested (RFC 6749, section 3.3). */
export function consentedScopes(name: string, scopes: readonly string[]): string[] {
  return withholdsConsent(name) ? scopes.filter((scope) => !isImpersonation(scope)) : [...scopes];
}

/** The claim `scp`: scopes without the service they belong to. */
export function scopeClaim(scopes: readonly string[]): string {
  return [...new Set(scopes.map(scopeName))].join(' ');
}

/** The service a scope belongs to; undefined where it names none. */
export function scopeService(scope: string): string | undefined {
  return scope.slice(0, Math.max(0, scope.lastIndexOf('/'))) || undefined;
}

function scopeName(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1);
}

/** True for people who sign in, but do not consent to impersonation. */
function withholdsConsent(name: string): boolean {
  return name.startsWith('guest');
}

/** Headers of responses to browsers that contain secrets or depend on them. */
export const secretResponseHeaders = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

/** True for a valid redirect address: on this machine, with any port, without a user or a fragment. */
export function isRedirectAddress(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && isLoopbackUrl(url) && !url.username && !url.password && !text.includes('#');
}

/** True for the origin of a page on this machine. Only such pages may read responses. */
export function isLoopbackOrigin(origin: string | undefined): origin is string {
  return (
    origin !== undefined &&
    URL.canParse(origin) &&
    isLoopbackUrl(new URL(origin)) &&
    new URL(origin).origin === origin
  );
}

/** Redirects to an address with parameters in its query or fragment. */
export function redirectTo(
  address: string,
  parameters: Readonly<Record<string, string>>,
  isInFragment: boolean,
): ApiResponse {
  const { href } = new URL(address);
  const mark = isInFragment ? '#' : href.includes('?') ? '&' : '?';
  return emptyResponse(302, {
    location: href + mark + new URLSearchParams(parameters),
    ...secretResponseHeaders,
  });
}

function isLoopbackUrl({ protocol, hostname }: URL): boolean {
  return /^https?:$/.test(protocol) && /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
