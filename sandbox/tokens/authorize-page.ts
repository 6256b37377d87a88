import type { ApiResponse } from '../http.ts';
import { people, readScopes } from './consent.ts';
import { secretResponseHeaders } from './loopback.ts';

/** The page to pick a person on. Each link repeats the request with a `login_hint`. */
export function signInPage(parameters: URLSearchParams, cancelAddress: string): ApiResponse {
  const links = Object.entries(people).map(([name, about]) => {
    const query = new URLSearchParams(parameters);
    query.set('login_hint', name);
    return `<li><a href="?${escapeHtml(query.toString())}">${escapeHtml(name)}</a> ${escapeHtml(about)}</li>`;
  });
  const { origin } = new URL(parameters.get('redirect_uri') ?? '');
  return htmlPage(200, 'Sign in to the sandbox', [
    `<p>${escapeHtml(parameters.get('client_id') ?? '')} at ${escapeHtml(origin)} asks for ${escapeHtml(readScopes(parameters.get('scope') ?? '').join(', '))}. Who are you?</p>`,
    `<ul>${links.join('')}</ul>`,
    `<p><a href="${escapeHtml(cancelAddress)}">Cancel</a></p>`,
  ]);
}

/** An error that must not be sent to the redirect address. */
export function errorPage(
  status: number,
  message: string,
  headers: Record<string, string> = {},
): ApiResponse {
  const response = htmlPage(status, 'The sign-in request is invalid', [`<p>${escapeHtml(message)}</p>`]);
  return { ...response, headers: { ...response.headers, ...headers } };
}

const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
};

const head = [
  '<meta charset="utf-8">',
  '<meta name="viewport" content="width=device-width">',
  '<meta name="color-scheme" content="light dark">',
].join('');

function htmlPage(status: number, title: string, content: readonly string[]): ApiResponse {
  return {
    status,
    headers: { ...pageHeaders, ...secretResponseHeaders },
    body: `<!doctype html><html lang="en"><head>${head}<title>${title}</title></head><body><main><h1>${title}</h1>${content.join('')}</main></body></html>`,
  };
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
