import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { explorerPath, graphqlPath } from '../paths.ts';
import {
  addPreloads,
  createSettings,
  librariesFile,
  listModules,
  readPage,
  serveContent,
} from './browser-files.ts';
import { createContent, sendContent } from './content.ts';
import type { Example } from './examples.ts';
import { type PageAccess, pageHeaders } from './sign-in.ts';

interface ExplorerOptions extends PageAccess {
  readonly examples: readonly Example[];
  readonly journalUrl: string | null;
  /** Path of the console; null where it is not served. */
  readonly consolePath: string | null;
}

/** Serves the explorer at `/`: a page that uses nothing but the GraphQL API, with a document for each example. */
export function serveExplorer(
  app: FastifyInstance,
  { examples, journalUrl, consolePath, token, signIn }: ExplorerOptions,
  filesPath: string,
): void {
  const settings = {
    graphPath: graphqlPath,
    consolePath,
    journalUrl,
    token,
    canSignIn: signIn !== null,
    examples,
  };
  const modules = [
    'session.js',
    'storage.js',
    'dom.js',
    'identity.js',
    'user.js',
    'explorer/settings.js',
    ...listModules('explorer/'),
  ];
  const page = createContent(
    'explorer.html',
    addPreloads(
      readPage('explorer/explorer.html', filesPath),
      modules.map((name) => filesPath + name),
    ),
  );
  const headers = pageHeaders(signIn);

  app.get(explorerPath, (request, reply) => sendContent(request, reply.headers(headers), page));
  serveContent(app, filesPath, 'explorer/settings.js', createSettings(settings));
  serveContent(
    app,
    filesPath,
    'explorer/libraries.js',
    createContent('libraries.js', readFileSync(librariesFile)),
  );
}
