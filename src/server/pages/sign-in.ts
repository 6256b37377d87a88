import type { FastifyInstance } from 'fastify';
import { graphqlPath, streamPath } from '../paths.ts';
import { browserPath, readBrowserFile, serveFiles } from './browser-files.ts';
import { createContent, sendContent } from './content.ts';

/** Sign-in of a page's user in the browser: authorization code flow with PKCE. */
export interface SignIn {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** A public client. */
  readonly clientId: string;
  readonly scope: string;
}

/** How the user of a page is authenticated. */
export interface PageAccess {
  /** A token sent with every request (the sandbox's); null if the user provides one. */
  readonly token: string | null;
  /** How the user signs in; null if the token is pasted by hand. */
  readonly signIn: SignIn | null;
}

/** Redirect URI of the sign-in, on the page's origin. */
const redirectPath = '/signed-in';

/** Script of the explorer's sign-in. It must come before Altair's scripts. */
export const explorerSignInTag = `<script type="module" src="${browserPath}explorer.js"></script>`;

/** Endpoints below `{auth_url}`. Without a path, `/common/oauth2` is used, as by the real service. */
export function signInUrls(authUrl: string): Pick<SignIn, 'authorizeUrl' | 'tokenUrl'> {
  const { origin, pathname } = new URL(authUrl);
  const path = pathname.replace(/(?<!\/)\/+$/, '') || '/common/oauth2';
  return { authorizeUrl: `${origin}${path}/authorize`, tokenUrl: `${origin}${path}/token` };
}

/**
 * Headers of a page, with a content security policy: scripts of this server only, and connections to it and
 * to the token endpoint. Altair needs inline styles and converts strings to HTML; other pages do neither.
 */
export function pageHeaders(signIn: SignIn | null, { hasInlineStyles = false } = {}): Record<string, string> {
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    ...(signIn ? [`connect-src 'self' ${new URL(signIn.tokenUrl).origin}`] : []),
    ...(hasInlineStyles ? ["style-src 'self' 'unsafe-inline'"] : ["require-trusted-types-for 'script'"]),
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };
}

/** Serves the redirect page of the sign-in, and the settings and library that sign-in scripts use. */
export function serveSignIn(app: FastifyInstance, signIn: SignIn): void {
  const settings = { ...signIn, redirectPath, graphPaths: [graphqlPath, streamPath] };
  const script = createContent('settings.js', `export const settings = ${JSON.stringify(settings)};\n`);
  const page = createContent('signed-in.html', readBrowserFile('signed-in.html'));
  const headers = pageHeaders(signIn);

  // Not stored: its URL has the authorization code.
  app.get(redirectPath, (request, reply) => sendContent(request, reply.headers(headers), page, 'no-store'));
  app.get(`${browserPath}settings.js`, (request, reply) => sendContent(request, reply, script));
  serveFiles(app, {
    root: new URL('.', import.meta.resolve('oauth4webapi')),
    prefix: `${browserPath}oauth4webapi/`,
    isServed: (path) => path === 'index.js',
  });
}
