import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type Content, createContent, sendContent } from './content.ts';

/** URL path of the scripts and styles in `browser/`. */
export const browserPath = '/pages/';

const browserFolder = new URL('../../../browser/', import.meta.url);

/** Reads an HTML page of `browser/`, which is served under its own path. */
export const readBrowserFile = (name: string): string => readFileSync(new URL(name, browserFolder), 'utf8');

interface StaticFiles {
  /** A folder. */
  readonly root: URL;
  readonly prefix: string;
  /** Whether a file is public. `path` is relative to the folder. */
  isServed?(path: string): boolean;
  /** Whether the name contains a hash of the content, so that browsers need not ask for it again. */
  isHashed?(path: string): boolean;
  headersOf?(path: string): Readonly<Record<string, string>>;
}

const immutable = 'public, max-age=31536000, immutable';

/**
 * Serves the public files of a folder. Their names are listed once: nothing else can be requested, however a
 * path is written. A file is read when it is first requested, and kept.
 */
export function serveFiles(app: FastifyInstance, files: StaticFiles): void {
  const { root, prefix, isServed = () => true, isHashed = () => false, headersOf = () => ({}) } = files;
  const names = new Set(listFiles(fileURLToPath(root)).filter(isServed));
  const contents = new Map<string, Content>();
  const contentOf = (path: string): Content => {
    const known = contents.get(path) ?? createContent(path, readFileSync(new URL(path, root)));
    contents.set(path, known);
    return known;
  };

  app.get(`${prefix}*`, async (request, reply) => {
    const { '*': path } = request.params as { '*': string };
    if (!names.has(path)) return reply.callNotFound();
    const cacheControl = isHashed(path) ? immutable : undefined;
    return sendContent(request, reply.headers(headersOf(path)), contentOf(path), cacheControl);
  });
}

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, `${parentPath}/${name}`));

/** Serves the scripts and styles of `browser/`. */
export const serveBrowserFiles = (app: FastifyInstance): void =>
  serveFiles(app, {
    root: browserFolder,
    prefix: browserPath,
    isServed: (path) => /^(console\/)?[\w-]+\.(js|css)$/.test(path),
  });
