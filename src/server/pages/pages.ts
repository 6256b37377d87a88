import { readdirSync, readFileSync } from 'node:fs';
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
  serveFiles,
} from './browser-files.ts';
import { createContent, sendContent } from './content.ts';
import type { EnvironmentPart } from './environment.ts';
import type { Example } from './examples.ts';
import { type PageAccess, pageHeaders, serveSignIn } from './sign-in.ts';

/** The explorer and the console, which use the GraphQL API and share one sign-in. */
export interface PagesOptions extends PageAccess {
  /** Examples in the explorer, one document each; null disables the explorer. */
  readonly examples: readonly Example[] | null;
  /** The sandbox's page of the requests that it received. */
  readonly journalUrl?: string | null;
  readonly console: ConsoleOptions | null;
}

export interface ConsoleOptions {
  /** The subscription that is selected at the first visit; null for none. */
  readonly subscriptionId: string | null;
  readonly environment: readonly EnvironmentPart[];
}

export function servePages(app: FastifyInstance, options: PagesOptions): void {
  const { examples, journalUrl = null, console, token, signIn } = options;
  if (examples === null && console === null) return;
  const filesPath = createFilesPath(options);
  serveBrowserFiles(app, filesPath);
  const headers = pageHeaders(signIn);
  const access = { graphPath: graphqlPath, token, canSignIn: signIn !== null };
  if (examples) {
    const settings = { ...access, consolePath: console && consolePath, journalUrl, examples };
    servePage(app, { folder: 'explorer', path: explorerPath, settings, libraries: [], headers, filesPath });
    const libraries = createContent('libraries.js', readFileSync(librariesFile));
    serveContent(app, filesPath, 'explorer/libraries.js', libraries);
  }
  if (console) {
    const settings = { ...access, explorerPath: examples && explorerPath, ...console };
    const libraries = serveWebSocketLibrary(app, filesPath);
    servePage(app, { folder: 'console', path: consolePath, settings, libraries, headers, filesPath });
  }
  if (signIn) serveSignIn(app, signIn, filesPath);
}

interface Page {
  /** Its folder in `browser/`, and the name of its HTML file. */
  readonly folder: string;
  readonly path: string;
  readonly settings: object;
  /** The library files that its modules import, below `filesPath`. */
  readonly libraries: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly filesPath: string;
}

function servePage(
  app: FastifyInstance,
  { folder, path, settings, libraries, headers, filesPath }: Page,
): void {
  const modules = [
    ...['session.js', 'storage.js', 'dom.js', 'identity.js', 'user.js', `${folder}/settings.js`],
    ...listModules(`${folder}/`),
    ...libraries,
  ];
  const html = readPage(`${folder}/${folder}.html`, filesPath);
  const page = createContent(
    `${folder}.html`,
    addPreloads(
      html,
      modules.map((name) => filesPath + name),
    ),
  );
  app.get(path, (request, reply) => sendContent(request, reply.headers(headers), page));
  serveContent(app, filesPath, `${folder}/settings.js`, createSettings(settings));
}

/** Serves the WebSocket client of the console. Returns the names of its modules. */
function serveWebSocketLibrary(app: FastifyInstance, filesPath: string): readonly string[] {
  const root = new URL('.', import.meta.resolve('graphql-ws/client'));
  const folder = 'console/graphql-ws/';
  // `client.js` imports the `common` module.
  const isServed = (path: string) => path === 'client.js' || /^common-[\w-]+\.js$/.test(path);
  serveFiles(app, { root, filesPath, folder, isServed });
  return readdirSync(root)
    .filter(isServed)
    .map((name) => folder + name);
}
