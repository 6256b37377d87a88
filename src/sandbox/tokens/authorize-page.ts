import { createHash } from 'node:crypto';
import type { Answer } from '../http.ts';
import { people, readScopes } from './consent.ts';
import { guarded } from './loopback.ts';

const style =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:36rem;margin:4rem auto;padding:0 1rem}li{margin:.5rem 0}';

/** Nothing but the style of the page itself; neither a script nor a frame around it. */
const policy = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page on which one picks who signs in; each link asks the same again with a `login_hint`. */
export function signInPage(asked: URLSearchParams, cancelAddress: string): Answer {
  const links = Object.entries(people).map(([name, about]) => {
    const query = new URLSearchParams(asked);
    query.set('login_hint', name);
    return `<li><a href="?${escaped(query.toString())}">${escaped(name)}</a> ${escaped(about)}</li>`;
  });
  const { origin } = new URL(asked.get('redirect_uri') ?? '');
  return page(200, 'Sign in to the sandbox', [
    `<p>${escaped(asked.get('client_id') ?? '')} at ${escaped(origin)} asks for ${escaped(readScopes(asked.get('scope') ?? '').join(', '))}. Who are you?</p>`,
    `<ul>${links.join('')}</ul>`,
    `<p><a href="${escaped(cancelAddress)}">Do not sign in</a></p>`,
  ]);
}

/** What is told here since it may not be told to the address that was named. */
export function mistakePage(status: number, message: string, headers: Record<string, string> = {}): Answer {
  const answer = page(status, 'Nobody can sign in like this', [`<p>${escaped(message)}</p>`]);
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

function page(status: number, title: string, content: readonly string[]): Answer {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${style}</style>`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      'x-content-type-options': 'nosniff',
      ...guarded,
    },
    body: `<!doctype html><html lang="en"><head>${head}</head><body><h1>${title}</h1>${content.join('')}</body></html>`,
  };
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
