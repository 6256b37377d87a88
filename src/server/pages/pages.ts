import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import { consolePath, explorerPath, graphqlPath } from '../paths.ts';
import {
  addPreloads,
  createFilesPath,
  createSettings,
  librariesFile,
  listModules,
  readPage,
  serveBrowserFiles,
  serveContent,
} from './browser-files.ts';
import { type ConsoleOptions, serveConsole } from './console.ts';
import { createContent, sendContent } from './content.ts';
import type { Example } from './examples.ts';
import { type PageAccess, pageHeaders, serveSignIn } from './sign-in.ts';

/** Pages for people. They share one sign-in. */
export interface PagesOptions extends PageAccess {
  /** Examples in the explorer; null disables the explorer. */
  readonly examples: readonly Example[] | null;
  /** Where the sandbox shows the requests that it received. */
  readonly journalUrl?: string | null;
  /** Null disables the console. */
  readonly console: ConsoleOptions | null;
}

export function servePages(app: FastifyInstance, options: PagesOptions): void {
  const { examples, journalUrl = null, console, token, signIn } = options;
  if (examples === null && console === null) return;
  const filesPath = createFilesPath(options);
  serveBrowserFiles(app, filesPath);
  const access = { token, signIn };
  if (examples)
    serveExplorer(
      app,
      { examples, journalUrl, ...access, consolePath: console === null ? null : consolePath },
      filesPath,
    );
  if (console)
    serveConsole(app, console, access, { explorerPath: examples === null ? null : explorerPath, filesPath });
  if (signIn) serveSignIn(app, signIn, filesPath);
}

interface ExplorerOptions extends PageAccess {
  readonly examples: readonly Example[];
  readonly journalUrl: string | null;
  /** Path of the console; null where it is not served. */
  readonly consolePath: string | null;
}

/** Serves the explorer at `/`: a page that uses nothing but the GraphQL API, with a document for each example. */
function serveExplorer(
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
