import type { FastifyInstance } from 'fastify';
import { graphqlPath } from '../paths.ts';
import { browserPath, readBrowserFile, serveFiles } from './browser-files.ts';
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

/** Serves the operations console, a page that uses nothing but the GraphQL API. */
export async function serveConsole(
  app: FastifyInstance,
  { instance }: ConsoleOptions,
  { token, signIn }: PageAccess,
): Promise<void> {
  const settings = { graphPath: graphqlPath, token, canSignIn: signIn !== null, instance };
  const script = `export const settings = ${JSON.stringify(settings)};\n`;
  const page = readBrowserFile('console/console.html');
  const headers = pageHeaders(signIn);

  app.get(consolePath, async (_request, reply) =>
    reply.headers(headers).type('text/html; charset=utf-8').send(page),
  );
  app.get(`${consoleRoot}settings.js`, async (_request, reply) =>
    reply.type('text/javascript; charset=utf-8').send(script),
  );
  await serveFiles(app, {
    root: new URL('.', import.meta.resolve('graphql-ws/client')),
    prefix: `${consoleRoot}graphql-ws/`,
    isServed: (path) => /^\/(client|common-[\w-]+)\.js$/.test(path),
  });
}
