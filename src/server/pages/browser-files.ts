import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** URL path of the scripts and styles in `browser/`. */
export const browserPath = '/pages/';

const browserFolder = new URL('../../../browser/', import.meta.url);

/** Reads an HTML page of `browser/`, which is served under its own path. */
export const readBrowserFile = (name: string): string => readFileSync(new URL(name, browserFolder), 'utf8');

interface StaticFiles {
  /** A folder. */
  readonly root: URL;
  readonly prefix: string;
  /** Whether a file is public. `path` is relative to the folder, with a leading slash. */
  isServed(path: string): boolean;
}

/** Serves the public files of a folder. */
export async function serveFiles(
  app: FastifyInstance,
  { root, prefix, isServed }: StaticFiles,
): Promise<void> {
  await app.register(fastifyStatic, {
    root: fileURLToPath(root),
    prefix,
    index: false,
    decorateReply: false,
    allowedPath: isServed,
  });
}

/** Serves the scripts and styles of `browser/`. */
export const serveBrowserFiles = (app: FastifyInstance): Promise<void> =>
  serveFiles(app, {
    root: browserFolder,
    prefix: browserPath,
    isServed: (path) => /^\/(console\/)?[\w-]+\.(js|css)$/.test(path),
  });
