import type { IncomingHttpHeaders } from 'node:http';
import { splitTarget } from '../http.ts';
import { isSignInPath } from './authorize.ts';

/** Parameters that are not secret. */
const publicParameters: ReadonlySet<string> = new Set([
  'grant_type',
  'client_id',
  'scope',
  'requested_token_use',
  'response_type',
  'code_challenge_method',
  'login_hint',
]);

/** Removes all parameters from a form that could be secret. */
export function redactForm(form: string): string {
  const shown = [...new URLSearchParams(form)].filter(([name]) => publicParameters.has(name));
  return new URLSearchParams(shown).toString();
}

/**
 * Redacts a request target. Sign-ins can redirect to any address on this machine, including the sandbox, so
 * codes and tokens are redacted in every path.
 */
export function redactTarget(target: string): string {
  const { path, query } = splitTarget(target);
  if (!isSignInPath(path)) return target.replace(/([?&](?:code|access_token|assertion)=)[^&]*/g, '$1…');
  const shown = redactForm(query);
  return shown === '' ? path : `${path}?${shown}`;
}

/** Removes cookies and the referrer, which browsers send for other pages on this machine. */
export function redactHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { cookie: _cookie, referer: _referer, ...shown } = headers;
  return shown;
}
