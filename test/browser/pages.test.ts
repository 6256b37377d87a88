import { readdirSync } from 'node:fs';
import { get } from 'node:http';
import { parse, validate } from 'graphql';
import { expect } from 'vitest';
import { createSchema } from '../../src/app/schema/schema.ts';
import { signInUrls } from '../../src/server/pages/sign-in.ts';
import { filesPathOf } from '../support/files-path.ts';
import type { Json } from '../support/json.ts';
import { testWithSandbox } from '../support/sandbox.ts';
import { startExplorer } from './explorer/chromium.ts';
import { examples } from './explorer/using.ts';

const token = 'sandbox';
const signIn = { ...signInUrls('https://login.example'), clientId: 'explorer', scope: 'user_impersonation' };
const console = { subscriptionId: null, environment: [] };
/** A layer with all pages, and one with a sign-in in place of a token, whose console is off. */
const test = testWithSandbox()
  .extend('layer', { scope: 'file' }, async ({ startedSandbox }, { onCleanup }) => {
    const layer = await startExplorer(startedSandbox.url, { examples, token, signIn: null, console });
    onCleanup(() => layer.stop());
    return layer;
  })
  .extend('signInLayer', { scope: 'file' }, async ({ startedSandbox }, { onCleanup }) => {
    const layer = await startExplorer(startedSandbox.url, { examples: [], token: null, signIn });
    onCleanup(() => layer.stop());
    return layer;
  })
  .extend('url', async ({ layer, sandbox: _reset }) => layer.url)
  .extend('signInUrl', async ({ signInLayer }) => signInLayer.url);

const policyOf = ({ headers }: Response) => headers.get('content-security-policy')?.split('; ') ?? [];
/** The status of a path as it is: `fetch` would send what it resolves to. */
const statusOf = (url: string, path: string) =>
  new Promise((resolve, reject) => {
    get({ port: new URL(url).port, path }, (response) => resolve(response.resume().statusCode)).on(
      'error',
      reject,
    );
  });
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "require-trusted-types-for 'script'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];
const markup = /<script(?![^>]* src="\/pages\/)|<style|\sstyle=|\son\w+=|(?:src|href)="https?:/;

test.for(['/', '/console', '/signed-in?code=c&state=s'])(
  '%s may run the scripts of this server and no others, speaks to it and where one signs in, and tells nobody its address',
  async (path, { url, signInUrl }) => {
    const isSignedIn = path.startsWith('/signed-in');
    const response = await fetch((isSignedIn ? signInUrl : url) + path);

    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(policyOf(response).sort()).toEqual(
      [...policy, ...(isSignedIn ? ["connect-src 'self' https://login.example"] : [])].sort(),
    );
    expect(await response.text()).not.toMatch(markup);
  },
);

test('the page that a sign-in leads back to is kept by nobody, the same for every code, and absent without a sign-in', async ({
  url,
  signInUrl,
}) => {
  const [one, other] = [
    await fetch(`${signInUrl}/signed-in?code=a`),
    await fetch(`${signInUrl}/signed-in?code=b`),
  ];

  expect(one.headers.get('cache-control')).toBe('no-store');
  expect(await one.text()).toBe(await other.text());
  const statuses = [statusOf(url, '/signed-in'), statusOf(signInUrl, '/console'), statusOf(signInUrl, '/')];
  expect(await Promise.all(statuses)).toEqual([404, 404, 200]);
});

test('every script is served as what it is with all that it imports, and nothing beside it', async ({
  signInUrl,
  url,
}) => {
  const folder = new URL('../../browser/', import.meta.url);
  const files = (readdirSync(folder, { recursive: true }) as string[]).filter((file) => /\.\w+$/.test(file));
  const [paths, signInPaths] = [await filesPathOf(url), await filesPathOf(signInUrl)];
  const isOf = (file: string) =>
    file.includes('/') || /\.(css|svg)$/.test(file) ? url + paths : signInUrl + signInPaths;

  for (const file of files.filter((one) => /\.(js|css)$/.test(one))) {
    const response = await fetch(isOf(file) + file);
    const type = file.endsWith('.css') ? /^text\/css;/ : /^text\/javascript;/;
    expect([file, response.status, response.headers.get('content-type')]).toEqual([
      file,
      200,
      expect.stringMatching(type),
    ]);
    const text = await response.text();
    if (file.startsWith('console/'))
      expect(text, file).not.toMatch(
        /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b/,
      );
    for (const [, name = ''] of text.matchAll(/ from '(\.[^']+)'/g)) {
      const imported = new URL(name, isOf(file) + file);
      expect([imported.pathname, (await fetch(imported)).status]).toEqual([imported.pathname, 200]);
    }
  }
  for (const path of [
    ...files.filter((one) => /\.(html|json|d\.ts)$/.test(one)),
    '/explorer/main.js',
    './explorer/main.js',
    '%2e/explorer/main.js',
    'console/../explorer/main.js',
    'console/%2e%2e/explorer/main.js',
    'console/graphql-ws/server.js',
  ])
    expect([path, await statusOf(url, paths + path)]).toEqual([path, 404]);
  expect(await statusOf(url, `${paths}console/..%2f..%2fpackage.json`)).toBeGreaterThanOrEqual(400);
});

test('the console has less than 150 kB before compression, the explorer less than 400 kB after it', async ({
  url,
}) => {
  const weigh = async (page: string, encoding: string) => {
    const paths = new Set([page]);
    let bytes = 0;
    // What a file names is added to the set while it is walked.
    for (const path of paths) {
      const response = await fetch(url + path, { headers: { 'accept-encoding': encoding } });
      const text = await response.text();
      bytes += Number(response.headers.get('content-length') ?? Buffer.byteLength(text));
      for (const [, name = ''] of text.matchAll(
        /(?: (?:href|src)=|\bfrom *)["'](\/pages\/[^"']+|\.\.?\/[^"']+)["']/g,
      ))
        paths.add(new URL(name, url + path).pathname);
    }
    expect(paths.size).toBeGreaterThan(15);
    return bytes;
  };

  expect(await weigh('/console', 'identity')).toBeLessThan(150_000);
  const explorer = await weigh('/', 'br');
  expect(explorer).toBeGreaterThan(150_000);
  expect(explorer).toBeLessThan(400_000);
});

test('the pages are told the examples, and the token of the sandbox and no other', async ({
  url,
  signInUrl,
}) => {
  const settingsOf = async (address: string, page: string) => {
    const text = await (await fetch(`${address}${await filesPathOf(address)}${page}settings.js`)).text();
    return JSON.parse(text.replace(/^export const settings = |;\n$/g, ''));
  };

  expect(await settingsOf(url, 'explorer/')).toMatchObject({ token, examples, canSignIn: false });
  expect(await settingsOf(url, 'console/')).toMatchObject({ token, explorerPath: '/', subscriptionId: null });
  expect(await settingsOf(signInUrl, 'explorer/')).toMatchObject({
    token: null,
    examples: [],
    canSignIn: true,
  });
  expect(await settingsOf(signInUrl, '')).toEqual({
    authorizeUrl: 'https://login.example/common/oauth2/authorize',
    tokenUrl: 'https://login.example/common/oauth2/token',
    clientId: 'explorer',
    scope: 'user_impersonation',
    redirectPath: '/signed-in',
  });
});

test.for([
  ['https://login.example/tenant/oauth2/v2.0', 'https://login.example/tenant/oauth2/v2.0'],
  ['https://login.example/tenant/', 'https://login.example/tenant'],
  ['http://127.0.0.1:4100', 'http://127.0.0.1:4100/common/oauth2'],
] as const)('with AUTH_URL=%s one signs in below %s', ([given, below]) => {
  expect(signInUrls(given)).toEqual({ authorizeUrl: `${below}/authorize`, tokenUrl: `${below}/token` });
});

test.for(examples)(
  'the example $name fits the schema, and finds what it asks for in as many upstream calls as it says',
  async ({ query, variables }, { url, sandbox }) => {
    const document = parse(query);
    const [first] = document.definitions;
    const operationName = first && 'name' in first ? first.name?.value : undefined;
    await sandbox.forgetCalls();
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query, variables, operationName }),
    });
    const { data, errors } = (await response.json()) as Json;

    expect(validate(createSchema(), document)).toEqual([]);
    const [, said] = /(two|three) upstream calls/i.exec(query) ?? [];
    if (said) expect(await sandbox.calls()).toHaveLength(['two', 'three'].indexOf(said.toLowerCase()) + 2);
    const found = Object.values<Json>(data ?? {}).flatMap((value) => [value, ...Object.values(value ?? {})]);
    expect(errors).toBeUndefined();
    expect(found).not.toEqual([]);
    expect(found).not.toContain(null);
    for (const { userErrors = [] } of Object.values<Json>(data ?? {})) expect(userErrors).toEqual([]);
  },
);
