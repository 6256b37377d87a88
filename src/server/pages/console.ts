import type { FastifyInstance } from 'fastify';
import { graphqlPath } from '../paths.ts';
import { browserPath, readBrowserFile, serveFiles } from './browser-files.ts';
import { createContent, sendContent } from './content.ts';
import { type PageAccess, pageHeaders } from './sign-in.ts';

export interface ConsoleOptions {
  /** The instance preselected in the console's form; null leaves it empty. */
  readonly instance: {
    readonly subscriptionId: string;
    readonly resourceGroupName: string;
    readonly virtualInstanceName: string;
    readonly applicationInstanceName: string;
  } | null;
}

const consolePath = '/console';

const consoleRoot = `${browserPath}console/`;

// What `client.js` imports.
const isCommon = (path: string) => /^common-[\w-]+\.js$/.test(path);

/** Serves the operations console, a page that uses nothing but the GraphQL API. */
export function serveConsole(
  app: FastifyInstance,
  { instance }: ConsoleOptions,
  { token, signIn }: PageAccess,
): void {
  const settings = { graphPath: graphqlPath, token, canSignIn: signIn !== null, instance };
  const script = createContent('settings.js', `export const settings = ${JSON.stringify(settings)};\n`);
  const page = createContent('console.html', readBrowserFile('console/console.html'));
  const headers = pageHeaders(signIn);

  app.get(consolePath, (request, reply) => sendContent(request, reply.headers(headers), page));
  app.get(`${consoleRoot}settings.js`, (request, reply) => sendContent(request, reply, script));
  serveFiles(app, {
    root: new URL('.', import.meta.resolve('graphql-ws/client')),
    prefix: `${consoleRoot}graphql-ws/`,
    isServed: (path) => path === 'client.js' || isCommon(path),
    isHashed: isCommon,
  });
}
