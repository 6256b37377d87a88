import type { FastifyInstance } from 'fastify';
import { createSettings, readPage, serveContent, serveFiles } from './browser-files.ts';
import { createContent, sendContent } from './content.ts';

/** Sign-in of a page's user in the browser: authorization code flow with PKCE. */
export interface SignIn {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** A public client. */
  readonly clientId: string;
  readonly scope: string;
}

export interface PageAccess {
  /** A token sent with every request (the sandbox's); null if the user provides one. */
  readonly token: string | null;
  /** How the user signs in; null if the token is pasted by hand. */
  readonly signIn: SignIn | null;
}

/** Redirect URI of the sign-in, on the page's origin. */
const redirectPath = '/signed-in';

/** Returns the endpoints below `authUrl`. Without a path, `/common/oauth2` is used, as by the real service. */
export function signInUrls(authUrl: string): Pick<SignIn, 'authorizeUrl' | 'tokenUrl'> {
  const { origin, pathname } = new URL(authUrl);
  const path = pathname.replace(/(?<!\/)\/+$/, '') || '/common/oauth2';
  return { authorizeUrl: `${origin}${path}/authorize`, tokenUrl: `${origin}${path}/token` };
}

/**
 * Returns the headers of a page. Its content security policy allows scripts and styles of this server only, none
 * inline, no HTML from strings, and connections to this server and the token endpoint.
 */
export function pageHeaders(signIn: SignIn | null): Record<string, string> {
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    ...(signIn ? [`connect-src 'self' ${new URL(signIn.tokenUrl).origin}`] : []),
    "require-trusted-types-for 'script'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };
}

/** Serves the redirect page of the sign-in, and the settings and library of its scripts. */
export function serveSignIn(app: FastifyInstance, signIn: SignIn, filesPath: string): void {
  const page = createContent('signed-in.html', readPage('signed-in.html', filesPath));
  const headers = pageHeaders(signIn);

  // Not stored, because its URL contains the authorization code.
  app.get(redirectPath, (request, reply) => sendContent(request, reply.headers(headers), page, 'no-store'));
  serveContent(app, filesPath, 'settings.js', createSettings({ ...signIn, redirectPath }));
  serveFiles(app, {
    root: new URL('.', import.meta.resolve('oauth4webapi')),
    filesPath,
    folder: 'oauth4webapi/',
    isServed: (path) => path === 'index.js',
  });
}
