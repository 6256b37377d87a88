import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';

/** Where pages find the scripts and styles of `browser/`. */
export const browserPath = '/pages/';

const folder = new URL('../../browser/', import.meta.url);

/** A page of `browser/`, as it is served at an address of its own. */
export const readBrowserFile = (name: string): string => readFileSync(new URL(name, folder), 'utf8');

interface Files {
  /** A folder. */
  readonly root: URL;
  readonly prefix: string;
  /** By the path below the folder, with a slash before it. */
  isServed(path: string): boolean;
}

/** Serves those files of a folder that are meant to be seen. */
export async function serveFiles(app: FastifyInstance, { root, prefix, isServed }: Files): Promise<void> {
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
    root: folder,
    prefix: browserPath,
    isServed: (path) => /^\/(console\/)?[\w-]+\.(js|css)$/.test(path),
  });
