import type { FastifyInstance } from 'fastify';
import { serveBrowserFiles } from './browser-files.ts';
import { type ConsoleOptions, consolePath, serveConsole } from './console.ts';
import type { Example } from './examples.ts';
import { explorerPath, serveExplorer } from './explorer.ts';
import { type PageAccess, serveSignIn } from './sign-in.ts';

/** Pages for people. They share one sign-in. */
export interface PagesOptions extends PageAccess {
  /** Examples in the explorer; null disables the explorer. */
  readonly examples: readonly Example[] | null;
  /** Null disables the console. */
  readonly console: ConsoleOptions | null;
}

export function servePages(app: FastifyInstance, options: PagesOptions): void {
  const { examples, console, token, signIn } = options;
  if (examples)
    serveExplorer(app, { examples, token, signIn, consolePath: console === null ? null : consolePath });
  if (console) serveConsole(app, console, { token, signIn }, examples === null ? null : explorerPath);
  if (console || (examples && signIn)) serveBrowserFiles(app);
  if (signIn) serveSignIn(app, signIn);
}
