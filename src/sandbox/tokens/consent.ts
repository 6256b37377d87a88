/**
 * Who can be picked to sign in, and what becomes of it. Anyone else may sign in as well: as with any
 * token, what they may do is told by how their name begins; see `readCaller`.
 */
export const people: Readonly<Record<string, string>> = {
  ada: 'may do everything',
  grace: 'may do everything, and is not ada',
  reader: 'may read, but neither write nor stop, nor fetch sensitive events',
  limited: 'may do everything but fetch sensitive events',
  guest: 'does not grant user_impersonation, without which instances and health events are refused',
  denied: 'is refused everything',
};

/** True for a name to sign in by: the tokens of one person are told apart by what follows a tilde. */
export function isName(text: string): boolean {
  return /^[\w.@+-]{1,100}$/.test(text);
}

/** The scope of the document: to act for the person who signed in. */
export const impersonation = 'user_impersonation';

/** Of OpenID Connect. They may be asked for, and nothing is given for them (gap: see docs/upstream.md). */
const withoutEffect: ReadonlySet<string> = new Set(['openid', 'profile', 'email', 'offline_access']);

/** The scopes a text names, each once, without those that have no effect. */
export function readScopes(text: string): string[] {
  const named = text.split(' ').filter((scope) => scope !== '' && !withoutEffect.has(scope));
  return [...new Set(named)];
}

/** True for `user_impersonation`, of whichever service. */
export function isImpersonation(scope: string): boolean {
  return nameOf(scope) === impersonation;
}

/** What a client may do for a person who was asked: RFC 6749, section 3.3, lets it be less than was asked for. */
export function grantedBy(name: string, scopes: readonly string[]): string[] {
  return isWithholding(name) ? scopes.filter((scope) => !isImpersonation(scope)) : [...scopes];
}

/** The claim `scp`: scopes without the service they belong to. */
export function claimOf(scopes: readonly string[]): string {
  return [...new Set(scopes.map(nameOf))].join(' ');
}

/** The service a scope belongs to; undefined where it names none. */
export function serviceOf(scope: string): string | undefined {
  return scope.slice(0, Math.max(0, scope.lastIndexOf('/'))) || undefined;
}

function nameOf(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1);
}

/** True for those who sign in, but do not let anyone act for them. */
function isWithholding(name: string): boolean {
  return name.startsWith('guest');
}
