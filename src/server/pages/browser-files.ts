import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FastifyInstance } from 'fastify';
import { getOrCompute } from '../../runtime/memo.ts';
import { type Content, createContent, sendContent } from './content.ts';

const root = new URL('../../../', import.meta.url);

const browserFolder = new URL('browser/', root);

/** The bundle of the explorer's libraries that `npm run build` creates. */
export const librariesFile = new URL('dist/browser/libraries.js', root);

/** The prefix of the routes of the files that pages load. */
const fileRoute = '/pages/:version/';

/**
 * Returns the URL path of the files that pages load. It contains a digest of the files and of the pages' settings, so that
 * browsers can cache the files without revalidation.
 */
export function createFilesPath(settings: unknown): string {
  const digest = createHash('sha256');
  for (const name of listFiles(fileURLToPath(browserFolder)).sort())
    digest.update(name).update(readFileSync(new URL(name, browserFolder)));
  digest.update(readFileSync(librariesFile));
  // It contains the exact versions of the libraries that are served unbundled.
  digest.update(readFileSync(new URL('package.json', root)));
  return `/pages/${digest.update(JSON.stringify(settings)).digest('hex').slice(0, 8)}/`;
}

/** Reads an HTML page of `browser/`. Replaces `/pages/` by the path of the files, and removes indentation. */
export const readPage = (name: string, filesPath: string): string =>
  readFileSync(new URL(name, browserFolder), 'utf8').replaceAll('/pages/', filesPath).replace(/^ +/gm, '');

/**
 * Serves a file below the path of the files. A request for another version, by a page of another replica, gets the
 * file, too, but must not cache it.
 */
export function serveContent(app: FastifyInstance, filesPath: string, name: string, content: Content): void {
  app.get(fileRoute + name, (request, reply) =>
    sendContent(request, reply, content, getCacheControl(request.url, filesPath)),
  );
}

interface StaticFiles {
  readonly root: URL;
  readonly filesPath: string;
  /** The folder in URLs, below `filesPath`. */
  readonly folder: string;
  /** Whether a file is public. `path` is relative to the root. */
  isServed(path: string): boolean;
  /** Changes a text before it is sent. */
  transform?(path: string, text: string): string;
}

/**
 * Serves the public files of a folder. Their names are listed once, so that no path can request another file. A file is
 * read at its first request and kept in memory.
 */
export function serveFiles(app: FastifyInstance, files: StaticFiles): void {
  const { root: from, filesPath, folder, isServed, transform } = files;
  const names = new Set(listFiles(fileURLToPath(from)).filter(isServed));
  const contents = new Map<string, Content>();
  const readContent = (path: string): Content => {
    const file = readFileSync(new URL(path, from));
    return createContent(path, transform ? transform(path, file.toString()) : file);
  };

  app.get(`${fileRoute}${folder}*`, async (request, reply) => {
    const { '*': path } = request.params as { '*': string };
    if (!names.has(path)) return reply.callNotFound();
    const content = getOrCompute(contents, path, () => readContent(path));
    return sendContent(request, reply, content, getCacheControl(request.url, filesPath));
  });
}

const getCacheControl = (url: string, filesPath: string): string =>
  url.startsWith(filesPath) ? 'public, max-age=31536000, immutable' : 'no-store';

const listFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(folder, `${parentPath}/${name}`));

/** A template literal, which may contain template literals in its expressions. */
const templatePattern = /`(?:[^`$]|\$(?!\{)|\$\{(?:[^`}]|`[^`]*`)*\})*`/g;

/**
 * Minifies a script or style sheet: removes comments that begin a line, `@type` comments, indentation, empty lines, and
 * line breaks after an opening bracket or a comma; in style sheets also blanks, all line breaks and leading zeros. A
 * script with a multi-line template literal keeps indentation and empty lines.
 */
export function shortenText(path: string, text: string): string {
  if (!/\.(js|css)$/.test(path)) return text;
  const code = text
    .replace(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n?/gm, '')
    .replace(/^[ \t]*\/\/.*\n/gm, '')
    .replace(/\/\*\* @type \{.*?\} \*\/ ?/g, '');
  if (code.match(templatePattern)?.some((template) => template.includes('\n'))) return code;
  const lines = code.replace(/^[ \t]+/gm, '').replace(/\n{2,}/g, '\n');
  // Not after a comment at the end of a line.
  if (!path.endsWith('.css')) return lines.replace(/^((?!.*\/\/).*[([{,])\n/gm, '$1');
  return lines
    .replace(/^([\w-]+): /gm, '$1:')
    .replace(/\b0(\.\d)/g, '$1')
    .replace(/ \{\n/g, '{')
    .replace(/([{};,])\n/g, '$1');
}

/** Serves the scripts, styles and pictures of `browser/`. */
export const serveBrowserFiles = (app: FastifyInstance, filesPath: string): void =>
  serveFiles(app, {
    root: browserFolder,
    filesPath,
    folder: '',
    isServed: (path) => /^((console|explorer)\/(\w+\/)?)?[\w-]+\.(js|css|svg)$/.test(path),
    transform: shortenText,
  });

/** Adds preload links, so that the browser requests all modules at once rather than one import after the other. */
export const addPreloads = (html: string, paths: readonly string[]): string =>
  html.replace(
    '</head>',
    `${paths.map((path) => `<link rel="modulepreload" href="${path}">`).join('')}</head>`,
  );

/** Returns the names of the scripts in a folder of `browser/`, without its `main.js`. */
export const listModules = (folder: string): string[] =>
  readdirSync(new URL(folder, browserFolder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && name !== 'main.js')
    .map((name) => folder + name);

/** Creates a module that exports the settings of a page. */
export const createSettings = (settings: unknown): Content =>
  createContent('settings.js', `export const settings = ${JSON.stringify(settings)};\n`);
