import { readdirSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { consolePath, graphqlPath } from '../paths.ts';
import {
  addPreloads,
  createSettings,
  listModules,
  readPage,
  serveContent,
  serveFiles,
} from './browser-files.ts';
import { createContent, sendContent } from './content.ts';
import type { EnvironmentPart } from './environment.ts';
import { type PageAccess, pageHeaders } from './sign-in.ts';

export interface ConsoleOptions {
  /** The subscription that is chosen at the first visit; null for none. */
  readonly subscriptionId: string | null;
  /** Which systems the console acts on. */
  readonly environment: readonly EnvironmentPart[];
}

interface ConsolePlaces {
  /** Null where there is no explorer. */
  readonly explorerPath: string | null;
  /** Of the scripts and styles. */
  readonly filesPath: string;
}

const libraryFolder = 'console/graphql-ws/';

// What `client.js` imports.
const isCommon = (path: string) => /^common-[\w-]+\.js$/.test(path);

/** Serves the operations console, a page that uses nothing but the GraphQL API. */
export function serveConsole(
  app: FastifyInstance,
  { subscriptionId, environment }: ConsoleOptions,
  { token, signIn }: PageAccess,
  { explorerPath, filesPath }: ConsolePlaces,
): void {
  const canSignIn = signIn !== null;
  const settings = { graphPath: graphqlPath, explorerPath, token, canSignIn, subscriptionId, environment };
  const library = new URL('.', import.meta.resolve('graphql-ws/client'));
  const modules = [
    ...['session.js', 'storage.js', 'dom.js', 'identity.js', 'user.js', 'console/settings.js'],
    ...listModules('console/'),
    ...['client.js', ...readdirSync(library).filter(isCommon)].map((name) => libraryFolder + name),
  ];
  const page = createContent(
    'console.html',
    addPreloads(
      readPage('console/console.html', filesPath),
      modules.map((name) => filesPath + name),
    ),
  );
  const headers = pageHeaders(signIn);

  app.get(consolePath, (request, reply) => sendContent(request, reply.headers(headers), page));
  serveContent(app, filesPath, 'console/settings.js', createSettings(settings));
  serveFiles(app, {
    root: library,
    filesPath,
    folder: libraryFolder,
    isServed: (path) => path === 'client.js' || isCommon(path),
  });
}
