import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { type Content, createContent, sendContent } from './content.ts';

/** URL path of the scripts and styles in `browser/`. */
export const browserPath = '/pages/';

/** Scripts, styles and pages. */
export const browserFolder = new URL('../../../browser/', import.meta.url);

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
  /** Changes a text before it is sent. */
  transform?(path: string, text: string): string;
}

const immutable = 'public, max-age=31536000, immutable';

/**
 * Serves the public files of a folder. Their names are listed once: nothing else can be requested, however a
 * path is written. A file is read when it is first requested, and kept.
 */
export function serveFiles(app: FastifyInstance, files: StaticFiles): void {
  const {
    root,
    prefix,
    isServed = () => true,
    isHashed = () => false,
    headersOf = () => ({}),
    transform,
  } = files;
  const names = new Set(listFiles(fileURLToPath(root)).filter(isServed));
  const contents = new Map<string, Content>();
  const readContent = (path: string): Content => {
    const file = readFileSync(new URL(path, root));
    return createContent(path, transform ? transform(path, file.toString()) : file);
  };
  const contentOf = (path: string): Content => {
    const known = contents.get(path) ?? readContent(path);
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

/**
 * Leaves out comments that begin a line, indentation and empty lines, and line breaks of styles. A script with a template of several lines keeps both,
 * which may be part of the template.
 */
export function shortenText(path: string, text: string): string {
  if (!/\.(js|css)$/.test(path)) return text;
  const code = text.replace(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n?/gm, '').replace(/^[ \t]*\/\/.*\n/gm, '');
  if (/`[^`]*\n[^`]*`/.test(code)) return code;
  const lines = code.replace(/^[ \t]+/gm, '').replace(/\n{2,}/g, '\n');
  return path.endsWith('.css') ? lines.replace(/([{};,])\n/g, '$1') : lines;
}

/** Serves the scripts, styles and pictures of `browser/`. */
export const serveBrowserFiles = (app: FastifyInstance): void =>
  serveFiles(app, {
    root: browserFolder,
    prefix: browserPath,
    isServed: (path) => /^(console\/(\w+\/)?)?[\w-]+\.(js|css|svg)$/.test(path),
    transform: shortenText,
  });
