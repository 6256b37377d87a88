import { readdirSync, readFileSync } from 'node:fs';
import Negotiator from 'negotiator';
import type { ApiRequest, ApiResponse } from '../http.ts';
import { emptyResponse } from '../http.ts';

/** Path of the styles and scripts of the sandbox's pages. Below it they have the paths that they have in `browser/`. */
export const pageFilesPath = '/sandbox/pages/';

// By the name of the package's files: this module is at another depth once it is built.
const folder = new URL('.', import.meta.resolve('#browser/sandbox/sandbox.html'));

const mediaTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml; charset=utf-8',
};

/** What the pages share with the console. */
const sharedFiles = [
  'favicon.svg',
  ...['theme', 'page', 'header', 'controls', 'states'].map((name) => `${name}.css`),
  ...['dom.js', 'console/listeners.js'],
];

/** Scripts and styles of this server only, and text is inserted as text only. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "require-trusted-types-for 'script'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Headers of every page. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': policy,
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

/** True for a client that prefers a page, as browsers do, to JSON. */
export function prefersPage({ headers }: ApiRequest): boolean {
  return new Negotiator({ headers }).mediaType(['application/json', 'text/html']) === 'text/html';
}

/** The page for people at `GET /sandbox`. */
export function respondWithPage(): ApiResponse {
  return {
    status: 200,
    headers: { ...pageHeaders, 'cache-control': 'no-cache' },
    body: readFileSync(new URL('sandbox.html', folder)),
  };
}

/** A style, script or picture of a page. Only files of a list are read, however the path is written. */
export function respondWithPageFile({ method, path }: ApiRequest): ApiResponse {
  const name = path.slice(pageFilesPath.length);
  if (!listFiles().includes(name)) return emptyResponse(404);
  if (method !== 'GET' && method !== 'HEAD') return emptyResponse(405, { allow: 'GET, HEAD' });
  const type = mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? '';
  return {
    status: 200,
    headers: { 'content-type': type, 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' },
    body: readFileSync(new URL(`../${name}`, folder)),
  };
}

function listFiles(): readonly string[] {
  const own = readdirSync(folder).filter((name) => /\.(?:js|css)$/.test(name));
  return [...own.map((name) => `sandbox/${name}`), ...sharedFiles];
}
