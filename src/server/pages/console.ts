import { readdirSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { graphqlPath } from '../paths.ts';
import { browserFolder, browserPath, readBrowserFile, serveFiles } from './browser-files.ts';
import { createContent, sendContent } from './content.ts';
import type { EnvironmentPart } from './environment.ts';
import { type PageAccess, pageHeaders } from './sign-in.ts';

export interface ConsoleOptions {
  /** The subscription that is chosen at the first visit; null for none. */
  readonly subscriptionId: string | null;
  /** Which systems the console acts on. */
  readonly environment: readonly EnvironmentPart[];
}

/** URL path of the console. */
export const consolePath = '/console';

const consoleRoot = `${browserPath}console/`;

// What `client.js` imports.
const isCommon = (path: string) => /^common-[\w-]+\.js$/.test(path);

/**
 * Serves the operations console, a page that uses nothing but the GraphQL API. `explorerPath` is null where there is no
 * explorer.
 */
export function serveConsole(
  app: FastifyInstance,
  { subscriptionId, environment }: ConsoleOptions,
  { token, signIn }: PageAccess,
  explorerPath: string | null,
): void {
  const canSignIn = signIn !== null;
  const settings = { graphPath: graphqlPath, explorerPath, token, canSignIn, subscriptionId, environment };
  const script = createContent('settings.js', `export const settings = ${JSON.stringify(settings)};\n`);
  const library = new URL('.', import.meta.resolve('graphql-ws/client'));
  const modules = [
    `${browserPath}session.js`,
    `${consoleRoot}settings.js`,
    ...readdirSync(new URL('console/', browserFolder), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.js') && name !== 'main.js')
      .map((name) => consoleRoot + name),
    ...['client.js', ...readdirSync(library).filter(isCommon)].map(
      (name) => `${consoleRoot}graphql-ws/${name}`,
    ),
  ];
  const page = createContent('console.html', addPreloads(readBrowserFile('console/console.html'), modules));
  const headers = pageHeaders(signIn);

  app.get(consolePath, (request, reply) => sendContent(request, reply.headers(headers), page));
  app.get(`${consoleRoot}settings.js`, (request, reply) => sendContent(request, reply, script));
  serveFiles(app, {
    root: library,
    prefix: `${consoleRoot}graphql-ws/`,
    isServed: (path) => path === 'client.js' || isCommon(path),
    isHashed: isCommon,
  });
}

/** Lets the browser request all modules at once; it would find them only one import after the other. */
const addPreloads = (html: string, modules: readonly string[]): string =>
  html.replace(
    '</head>',
    `${modules.map((path) => `<link rel="modulepreload" href="${path}">`).join('')}</head>`,
  );
