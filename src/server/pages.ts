import type { FastifyInstance } from 'fastify';
import { serveBrowserFiles } from './browser-files.ts';
import { type ConsoleOptions, serveConsole } from './console.ts';
import type { Example } from './examples.ts';
import { serveExplorer } from './explorer.ts';
import { type PageAccess, serveSignIn } from './sign-in.ts';

/** The pages for people beside the graph: whoever signs in on one of them is signed in on the other. */
export interface PagesOptions extends PageAccess {
  /** A window of the explorer for each; null serves no explorer. */
  readonly examples: readonly Example[] | null;
  /** Null serves no console. */
  readonly console: ConsoleOptions | null;
}

export async function servePages(app: FastifyInstance, options: PagesOptions): Promise<void> {
  const { examples, console, token, signIn } = options;
  if (examples) await serveExplorer(app, { examples, token, signIn });
  if (console) await serveConsole(app, console, { token, signIn });
  if (console || (examples && signIn)) await serveBrowserFiles(app);
  if (signIn) await serveSignIn(app, signIn);
}
