import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { signInUrls } from '../../../src/server/pages/sign-in.ts';
import { filesPathOf } from '../../support/files-path.ts';
import { test, token } from './visiting.ts';

const folder = new URL('../../../browser/', import.meta.url);
const scripts = (path: string) => readdirSync(new URL(path, folder)).filter((file) => file.endsWith('.js'));

test('the page runs the scripts of this server, shows its styles, and speaks to it; nothing else is allowed', async ({
  start,
}) => {
  const { url } = await start();
  const response = await fetch(`${url}/console`);
  const html = await response.text();

  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(response.headers.get('referrer-policy')).toBe('no-referrer');
  expect(response.headers.get('content-security-policy')?.split('; ')).toEqual([
    "default-src 'self'",
    "script-src 'self'",
    "require-trusted-types-for 'script'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "base-uri 'self'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]);
  expect(html).not.toMatch(/<script(?![^>]* src="\/pages\/)|<style|\sstyle=|\son\w+=|(?:src|href)="https?:/);
});

test('no script of the console makes markup of a text', () => {
  for (const file of scripts('console/'))
    expect(readFileSync(new URL(`console/${file}`, folder), 'utf8'), file).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|\beval\b/,
    );
});

test('every file that the page needs is served as what it is, and nothing beside it', async ({ start }) => {
  const { url } = await start();
  const library = new URL('./', import.meta.resolve('graphql-ws/client'));
  const client = readFileSync(new URL('client.js', library), 'utf8');
  const imported = [...client.matchAll(/from '\.\/([^']+)'/g)].map(([, name]) => `graphql-ws/${name}`);
  const files = url + (await filesPathOf(`${url}/console`));
  const statusOf = async (path: string) => (await fetch(files + path)).status;

  expect(imported).not.toEqual([]);
  for (const file of [...scripts('console/'), 'settings.js', 'graphql-ws/client.js', ...imported]) {
    const { status, headers } = await fetch(`${files}console/${file}`);
    expect([file, status, headers.get('content-type')]).toEqual([
      file,
      200,
      expect.stringMatching(/^(text|application)\/javascript;/),
    ]);
  }
  expect((await fetch(`${files}page.css`)).headers.get('content-type')).toMatch(/^text\/css;/);
  for (const file of [
    'console.html',
    'settings.d.ts',
    'graphql-ws/server.js',
    'graphql-ws/client.d.ts',
    '..%2f..%2fpackage.json',
  ])
    expect([file, await statusOf(`console/${file}`)]).toEqual([
      file,
      expect.toSatisfy((status) => status >= 400),
    ]);
});

test('it is told the token of the sandbox, and no other', async ({ start }) => {
  const settingsOf = async (url: string) => {
    const text = await (
      await fetch(`${url}${await filesPathOf(`${url}/console`)}console/settings.js`)
    ).text();
    return JSON.parse(text.replace(/^export const settings = |;\n$/g, ''));
  };
  const signIn = { ...signInUrls('https://login.example'), clientId: 'explorer', scope: 'all' };

  const local = await settingsOf((await start()).url);
  const other = await settingsOf(
    (await start({ token: null, signIn, console: { subscriptionId: null, environment: [] } })).url,
  );

  expect(local).toMatchObject({
    token,
    canSignIn: false,
    subscriptionId: '11111111-2222-4333-8444-555555555555',
  });
  expect(other).toEqual({
    graphPath: '/graphql',
    explorerPath: null,
    token: null,
    canSignIn: true,
    subscriptionId: null,
    environment: [],
  });
});

test('where it is off there is none of it', async ({ start }) => {
  const { url } = await start({ console: null, examples: [] });

  const statuses = ['/console', `${await filesPathOf(url)}console/settings.js`].map(
    async (path) => (await fetch(url + path)).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404]);
  expect((await fetch(url)).status).toBe(200);
});
