import { readdirSync, readFileSync } from 'node:fs';
import { test as base, expect } from 'vitest';
import { type SignIn, signInUrls } from '../../../src/server/pages/sign-in.ts';
import { filesPathOf } from '../../support/files-path.ts';
import { fixture } from '../../support/fixture.ts';
import { startTributary } from '../../support/process.ts';
import { startExplorer } from './chromium.ts';

const signIn: SignIn = {
  ...signInUrls('https://login.example'),
  clientId: 'explorer',
  scope: 'user_impersonation',
};

// Nothing is listening there: no page waits for it.
const start = (given: SignIn | null) =>
  startExplorer('http://127.0.0.1:1', { examples: [], token: null, signIn: given });

const test = base
  .extend(
    'url',
    { scope: 'file' },
    fixture(async ({ onCleanup }) => {
      const layer = await start(signIn);
      onCleanup(() => layer.stop());
      return layer.url;
    }),
  )
  .extend(
    'plainUrl',
    { scope: 'file' },
    fixture(async ({ onCleanup }) => {
      const layer = await start(null);
      onCleanup(() => layer.stop());
      return layer.url;
    }),
  );

const policyOf = ({ headers }: Response) => headers.get('content-security-policy')?.split('; ') ?? [];

test.for(['/', '/signed-in?code=c&state=s'])(
  '%s may speak to this server and to where one signs in, runs no other scripts and tells nobody its address',
  async (path, { url, plainUrl }) => {
    const response = await fetch(url + path);
    const plain = await fetch(plainUrl);

    expect(response.status).toBe(200);
    expect(policyOf(response)).toEqual(
      expect.arrayContaining([
        "default-src 'self'",
        "script-src 'self'",
        "connect-src 'self' https://login.example",
        "form-action 'none'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(response.headers.get('referrer-policy')).toBe('no-referrer');
    expect(await response.text()).not.toMatch(/<script(?![^>]* src="\/pages\/)/);
    expect(policyOf(plain).join()).not.toContain('connect-src');
  },
);

test('the page that a sign-in leads back to is kept by nobody, and the same for every code', async ({
  url,
}) => {
  const [one, other] = await Promise.all(
    ['one', 'other'].map((code) => fetch(`${url}/signed-in?code=${code}&state=s`)),
  );

  expect(one?.headers.get('cache-control')).toBe('no-store');
  expect(one?.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(await one?.text()).toBe(await other?.text());
});

test('what pages sign in with is served as what it is, all that it imports, and nothing beside it', async ({
  url,
}) => {
  const files = url + (await filesPathOf(url));
  const folder = new URL('../../../browser/', import.meta.url);
  const names = readdirSync(folder);
  const scripts = names.filter((file) => file.endsWith('.js'));
  const imported = scripts.flatMap((file) =>
    [...readFileSync(new URL(file, folder), 'utf8').matchAll(/ from '\.\/([^']+)'/g)].map(([, name]) => name),
  );

  expect(imported).toContain('oauth4webapi/index.js');
  for (const file of new Set([...scripts, ...imported])) {
    const { status, headers } = await fetch(files + file);
    expect([file, status, headers.get('content-type')]).toEqual([
      file,
      200,
      expect.stringMatching(/^(text|application)\/javascript;/),
    ]);
  }
  const style = await fetch(`${files}theme.css`);
  expect(style.headers.get('content-type')).toMatch(/^text\/css;/);
  const icon = await fetch(`${files}favicon.svg`);
  expect(icon.headers.get('content-type')).toMatch(/^image\/svg\+xml/);
  for (const file of names.filter((name) => !/\.(js|css|svg)$/.test(name)))
    expect([file, (await fetch(files + file)).status]).toEqual([file, 404]);
  for (const file of ['oauth4webapi/index.d.ts', 'oauth4webapi/index.js.map', '..%2fpackage.json'])
    expect([file, (await fetch(files + file)).status]).toEqual([file, expect.toSatisfy(isRefusal)]);
});

const isRefusal = (status: number) => status >= 400 && status < 500;

test('without a place to sign in there is none of it', async ({ plainUrl }) => {
  const files = await filesPathOf(plainUrl);
  const statuses = await Promise.all(
    ['/signed-in', `${files}settings.js`, `${files}oauth4webapi/index.js`].map(
      async (path) => (await fetch(plainUrl + path)).status,
    ),
  );

  expect(statuses).toEqual([404, 404, 404]);
});

test.for([
  ['https://login.example', 'https://login.example/common/oauth2'],
  ['https://login.example/', 'https://login.example/common/oauth2'],
  ['https://login.example/tenant/oauth2/v2.0', 'https://login.example/tenant/oauth2/v2.0'],
  ['https://login.example/tenant/', 'https://login.example/tenant'],
  ['http://127.0.0.1:4100', 'http://127.0.0.1:4100/common/oauth2'],
] as const)('with AUTH_URL=%s one signs in below %s', ([given, below]) => {
  expect(signInUrls(given)).toEqual({ authorizeUrl: `${below}/authorize`, tokenUrl: `${below}/token` });
});

test('dev with AUTH_URL lets users sign in there, and fills in no token', async () => {
  const sandbox = startTributary(['sandbox', '--port', '0']);
  const AUTH_URL = /BUSINESS_URL=(\S+)/.exec(await sandbox.printed(/BUSINESS_URL=\S+/))?.[1] ?? '';
  const running = startTributary(['dev'], { PORT: '0', AUTH_URL, AUTH_CLIENT_ID: 'explorer' });
  const url = /Explorer +(\S+)\//.exec(await running.printed(/Sandbox.*\n/))?.[1];

  const files = `${url}${await filesPathOf(`${url}/`)}`;
  const settings = await (await fetch(`${files}settings.js`)).text();
  const options = await (await fetch(`${files}explorer/settings.js`)).text();
  const question = new URLSearchParams({ client_id: 'explorer', redirect_uri: `${url}/signed-in` });
  const page = await fetch(`${AUTH_URL}/common/oauth2/authorize?${question}`, { redirect: 'manual' });
  await running.stop();
  await sandbox.stop();

  expect(JSON.parse(settings.replace(/^export const settings = |;\n$/g, ''))).toEqual({
    authorizeUrl: `${AUTH_URL}/common/oauth2/authorize`,
    tokenUrl: `${AUTH_URL}/common/oauth2/token`,
    clientId: 'explorer',
    scope: 'user_impersonation',
    redirectPath: '/signed-in',
  });
  expect(options).toContain('"token":null');
  // The sandbox knows the client and the address, and says there what else is missing.
  expect(page.headers.get('location')).toContain(`${url}/signed-in?error=`);
});
