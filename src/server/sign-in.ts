import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
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

const root = '/sign-in/';

/** Where the authorization server leads back to, on the origin of the page. */
const redirectPath = '/signed-in';

/** What a page has in its head so that it can sign in: `explorer.js` is Altair's, and comes before its scripts. */
export const explorerSignIn = `<link rel="stylesheet" href="${root}style.css"><script type="module" src="${root}explorer.js"></script>`;

const folder = new URL('../../browser/', import.meta.url);
const library = dirname(fileURLToPath(import.meta.resolve('oauth4webapi')));

/** The addresses below `{auth_url}`; one with a path names its own folder, as the real service's does. */
export function signInBelow(authUrl: string): Pick<SignIn, 'authorizeUrl' | 'tokenUrl'> {
  const { origin, pathname } = new URL(authUrl);
  const path = pathname.replace(/(?<!\/)\/+$/, '') || '/common/oauth2';
  return { authorizeUrl: `${origin}${path}/authorize`, tokenUrl: `${origin}${path}/token` };
}

/**
 * The headers of a page: it may run the scripts of this server and no others, and speak to it and to where one signs
 * in. Altair's styles are partly inline; its code never is.
 */
export function pageHeaders(signIn: SignIn | null): Record<string, string> {
  const policy = [
    "default-src 'self'",
    "script-src 'self'",
    ...(signIn ? [`connect-src 'self' ${new URL(signIn.tokenUrl).origin}`] : []),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  return { 'content-security-policy': policy, 'referrer-policy': 'no-referrer' };
}

/** Serves what pages sign in with, `browser/` and oauth4webapi, and the page that a sign-in leads back to. */
export async function serveSignIn(app: FastifyInstance, signIn: SignIn): Promise<void> {
  const settings = { ...signIn, redirectPath, graphPaths: [graphqlPath, streamPath] };
  const script = `export const settings = ${JSON.stringify(settings)};\n`;
  const page = readFileSync(new URL('signed-in.html', folder), 'utf8');

  app.get(redirectPath, async (_request, reply) =>
    reply
      .headers({ ...pageHeaders(signIn), 'cache-control': 'no-store' })
      .type('text/html; charset=utf-8')
      .send(page),
  );
  app.get(`${root}settings.js`, async (_request, reply) =>
    reply.header('cache-control', 'no-store').type('text/javascript; charset=utf-8').send(script),
  );
  await app.register(fastifyStatic, {
    root: fileURLToPath(folder),
    prefix: root,
    index: false,
    decorateReply: false,
    allowedPath: (path) => /^\/[\w-]+\.(js|css)$/.test(path),
  });
  await app.register(fastifyStatic, {
    root: library,
    prefix: `${root}oauth4webapi/`,
    index: false,
    decorateReply: false,
    allowedPath: (path) => path.endsWith('/index.js'),
  });
}
