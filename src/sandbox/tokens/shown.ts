import type { IncomingHttpHeaders } from 'node:http';
import { splitTarget } from '../http.ts';
import { isSignInPath } from './sign-in.ts';

/** What of a form or a query can be no secret. */
const shownNames: ReadonlySet<string> = new Set([
  'grant_type',
  'client_id',
  'scope',
  'requested_token_use',
  'response_type',
  'code_challenge_method',
  'login_hint',
]);

/** A form as the journal may show it: without anything that could be a secret. */
export function shownForm(form: string): string {
  const shown = [...new URLSearchParams(form)].filter(([name]) => shownNames.has(name));
  return new URLSearchParams(shown).toString();
}

/**
 * A request target as the journal may show it. A sign-in can lead to any address on this machine, and
 * so to one of the sandbox: a code or a token is hidden everywhere.
 */
export function shownTarget(target: string): string {
  const { path, query } = splitTarget(target);
  if (!isSignInPath(path)) return target.replace(/([?&](?:code|access_token|assertion)=)[^&]*/g, '$1…');
  const shown = shownForm(query);
  return shown === '' ? path : `${path}?${shown}`;
}

/** Headers as the journal may show them: a browser sends the cookies of this machine and says where it comes from. */
export function shownHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const { cookie: _cookie, referer: _referer, ...shown } = headers;
  return shown;
}
