import type { FastifyInstance } from 'fastify';
import { browserPath, readBrowserFile, serveFiles } from './browser-files.ts';
import { streamPath } from './event-streams.ts';
import { graphqlPath } from './queries.ts';

/** Where and as whom users of a page sign in: by authorization code and PKCE, in the browser alone. */
export interface SignIn {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** A public client. */
  readonly clientId: string;
  readonly scope: string;
}

/** As whom the user of a page asks. */
export interface PageAccess {
  /** A token to send with everything: the sandbox's. Null leaves it to the user. */
  readonly token: string | null;
  /** Where the user gets one. Null has it given by hand. */
  readonly signIn: SignIn | null;
}

/** Where the authorization server leads back to, on the origin of the page. */
const redirectPath = '/signed-in';

/** What a page has in its head so that it can sign in: `explorer.js` is Altair's, and comes before its scripts. */
export const explorerSignIn = `<link rel="stylesheet" href="${browserPath}style.css"><script type="module" src="${browserPath}explorer.js"></script>`;

/** The addresses below `{auth_url}`; one with a path names its own folder, as the real service's does. */
export function signInBelow(authUrl: string): Pick<SignIn, 'authorizeUrl' | 'tokenUrl'> {
  const { origin, pathname } = new URL(authUrl);
  const path = pathname.replace(/(?<!\/)\/+$/, '') || '/common/oauth2';
  return { authorizeUrl: `${origin}${path}/authorize`, tokenUrl: `${origin}${path}/token` };
}

/**
 * The headers of a page: it may run the scripts of this server and no others, and speak to it and to where one signs
 * in. Altair's styles are partly inline, and it makes markup of text; its code never is inline. Other pages do neither.
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

/** Serves the page that a sign-in leads back to, and what pages sign in with beside `browser/`. */
export async function serveSignIn(app: FastifyInstance, signIn: SignIn): Promise<void> {
  const settings = { ...signIn, redirectPath, graphPaths: [graphqlPath, streamPath] };
  const script = `export const settings = ${JSON.stringify(settings)};\n`;
  const page = readBrowserFile('signed-in.html');

  app.get(redirectPath, async (_request, reply) =>
    reply
      .headers({ ...pageHeaders(signIn), 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(page),
  );
  app.get(`${browserPath}settings.js`, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/javascript; charset=utf-8').send(script),
  );
  await serveFiles(app, {
    root: new URL('.', import.meta.resolve('oauth4webapi')),
    prefix: `${browserPath}oauth4webapi/`,
    isServed: (path) => path === '/index.js',
  });
}
