import type { FastifyInstance } from 'fastify';
import { consolePath, explorerPath } from '../paths.ts';
import { createFilesPath, serveBrowserFiles } from './browser-files.ts';
import { type ConsoleOptions, serveConsole } from './console.ts';
import type { Example } from './examples.ts';
import { serveExplorer } from './explorer.ts';
import { type PageAccess, serveSignIn } from './sign-in.ts';

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
