import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { test as base, expect } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { runTributary, startProcess } from '../support/process.ts';

const test = base
  .extend(
    'runInFolder',
    fixture(async ({ onCleanup }) => {
      const folder = mkdtempSync(join(tmpdir(), 'check-'));
      onCleanup(() => rmSync(folder, { recursive: true }));
      return (files: Readonly<Record<string, string>>, args: readonly string[], settings = {}) => {
        for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
        return startProcess(process.execPath, [resolve('dist/main.js'), ...args], settings, folder).ended;
      };
    }),
  )
  .extend(
    'listen',
    fixture(async ({ onCleanup }) => async (answer: (path: string) => readonly [number, string]) => {
      const server = createServer((request, response) => {
        const [status, body] = answer(request.url ?? '');
        response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      onCleanup(() => server.close());
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    }),
  );

/** The cells of a line of a table. */
const rowOf = (text: string, name: string) =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${name} `))
    ?.split(/ {2,}/);

test('check prints each setting with its source, the first that has it, and hides secrets', async ({
  runInFolder,
}) => {
  const files = {
    '.env': 'BUSINESS_URL=https://env.example\nMAX_COST=7\nREDIS_URL_FILE=redis.txt\nMAX_DEPTH=5\n',
    'redis.txt': 'redis://:canary-of-a-file@redis.example',
  };
  const settings = { MAX_COST: '9', BUSINESS_CLIENT_SECRET: 'canary-of-a-variable' };

  const { code, stdout, stderr } = await runInFolder(files, ['check', '--port', '5540'], settings);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const rows = ['PORT', 'MAX_COST', 'BUSINESS_URL', 'MAX_DEPTH', 'EXPLORER', 'MAX_TOKENS'];
  expect(rows.map((name) => rowOf(stdout, name))).toEqual([
    ['PORT', '5540', 'command line'],
    ['MAX_COST', '9', 'environment'],
    ['BUSINESS_URL', 'https://env.example', '.env'],
    ['MAX_DEPTH', '5', '.env'],
    ['EXPLORER', 'off', 'default'],
    ['MAX_TOKENS', '2000', 'default'],
  ]);
  expect(rowOf(stdout, 'REDIS_URL')).toEqual([
    'REDIS_URL',
    '(hidden)',
    'file redis.txt (REDIS_URL_FILE, .env)',
  ]);
  expect(rowOf(stdout, 'BUSINESS_CLIENT_SECRET')).toEqual([
    'BUSINESS_CLIENT_SECRET',
    '(hidden)',
    'environment',
  ]);
  expect(stdout).not.toContain('canary');
});

test('a secret of the environment hides the file for it in .env', async ({ runInFolder }) => {
  const files = { '.env': 'MANAGEMENT_URL=https://env.example\nREDIS_URL_FILE=/nowhere\n' };

  const { code, stdout } = await runInFolder(files, ['check'], { REDIS_URL: 'redis://redis.example' });

  expect(code).toBe(0);
  expect(rowOf(stdout, 'REDIS_URL')).toEqual(['REDIS_URL', '(hidden)', 'environment']);
});

test('settings of a file come after the environment and .env, and an invalid one is told with its line', async ({
  runInFolder,
}) => {
  const files = {
    'tributary.yaml': 'business: { url: https://usual.example }\n',
    'other.yaml': 'business:\n  url: https://file.example\nmax: { cost: 1, depth: 2, tokens: 3 }\n',
    '.env': 'MAX_DEPTH=4\n',
    'wrong.yaml': 'port: 8080\nmax:\n  cost: unlimited\n  deph: 5\n',
  };

  const usual = await runInFolder(files, ['check']);
  const named = await runInFolder({}, ['check', '--config', 'other.yaml'], { MAX_COST: '9' });
  const wrong = await runInFolder({}, ['serve', '--config', 'wrong.yaml']);
  const missing = await runInFolder({}, ['serve', '--config', 'missing.yaml']);

  expect(rowOf(usual.stdout, 'BUSINESS_URL')?.slice(1)).toEqual([
    'https://usual.example',
    'tributary.yaml:1',
  ]);
  const rows = ['BUSINESS_URL', 'MAX_COST', 'MAX_DEPTH', 'MAX_TOKENS'].map((name) =>
    rowOf(named.stdout, name),
  );
  expect(rows.map((row) => row?.slice(1))).toEqual([
    ['https://file.example', 'other.yaml:2'],
    ['9', 'environment'],
    ['4', '.env'],
    ['3', 'other.yaml:3'],
  ]);
  expect(wrong).toMatchObject({
    code: 2,
    stderr:
      'wrong.yaml:4: MAX_DEPH is not a setting. Did you mean MAX_DEPTH?\nwrong.yaml:3: MAX_COST is "unlimited": expected 1 or more.\n',
  });
  expect(missing).toMatchObject({
    code: 2,
    stderr:
      'missing.yaml cannot be read: it does not exist. Make it a readable file of settings, or remove it.\n',
  });
});

test('check judges what serve would, and with --dev what dev would', async () => {
  const [check, serve, dev, devOnAllAddresses] = await Promise.all([
    runTributary(['check']),
    runTributary(['serve']),
    runTributary(['check', '--dev']),
    runTributary(['check', '--dev'], { HOST: '0.0.0.0' }),
  ]);

  expect(check).toEqual(serve);
  expect(check).toMatchObject({
    code: 2,
    stderr: 'BUSINESS_URL or MANAGEMENT_URL is required by `serve`.\n',
  });
  expect(dev.code).toBe(0);
  expect(rowOf(dev.stdout, 'EXPLORER')).toEqual(['EXPLORER', 'on', 'default']);
  expect(devOnAllAddresses).toMatchObject({ code: 2, stdout: '' });
});

const paths: Readonly<Record<string, readonly [number, string]>> = {
  '/keys': [200, '{"keys":[{"kty":"RSA"}]}'],
  '/token': [200, '{"access_token":"abc","token_type":"bearer"}'],
};
const withCallers = (url: string) => ({
  JWT_ISSUER: 'https://issuer.example',
  JWT_AUDIENCE: 'graph',
  JWT_JWKS_URL: `${url}/keys`,
});

test('check --connect tries what the settings name, and an upstream that wants a token is reachable', async ({
  listen,
}) => {
  const url = await listen((path) => paths[path] ?? [401, '{}']);

  const { code, stdout } = await runTributary(['check', '--connect'], {
    BUSINESS_URL: url,
    MANAGEMENT_URL: url,
    MANAGEMENT_AUTH: 'client-credentials',
    MANAGEMENT_TOKEN_URL: `${url}/token`,
    MANAGEMENT_CLIENT_ID: 'id',
    MANAGEMENT_CLIENT_SECRET: 'canary-of-a-secret',
    ...withCallers(url),
  });

  expect(code).toBe(0);
  const found = ['Business Records (A)', 'Areas B and C', 'Tokens for B and C', 'Keys of callers'].map(
    (name) => rowOf(stdout, name)?.slice(1),
  );
  expect(found).toEqual([
    [url, 'ok', 'responded with 401, as without the token of a caller'],
    [url, 'ok', 'responded with 401'],
    [`${url}/token`, 'ok', 'granted a token'],
    [`${url}/keys`, 'ok', 'keys: 1'],
  ]);
  expect(stdout).not.toContain('canary');
});

test('check --connect ends with 1 where something cannot be used, and names the setting of each', async ({
  listen,
}) => {
  const url = await listen((path) => (path === '/keys' ? [200, '[]'] : [503, '{}']));

  const { code, stdout } = await runTributary(['check', '--connect'], {
    BUSINESS_URL: 'http://127.0.0.1:1',
    BUSINESS_AUTH: 'on-behalf-of',
    BUSINESS_TOKEN_URL: `${url}/token`,
    BUSINESS_CLIENT_ID: 'id',
    BUSINESS_CLIENT_SECRET: 'secret',
    MANAGEMENT_URL: url,
    REDIS_URL: 'redis://:canary-of-redis@127.0.0.1:1',
    ...withCallers(url),
  });

  expect(code).toBe(1);
  const findingOf = (name: string) => rowOf(stdout, name)?.slice(2).join(' ');
  expect(findingOf('Business Records (A)')).toMatch(/^FAILED .*ECONNREFUSED.*BUSINESS_URL/);
  expect(findingOf('Areas B and C')).toBe('FAILED responded with 503: it is not available');
  expect(findingOf('Tokens for area A')).toBe('FAILED responded with 503. Check BUSINESS_TOKEN_URL');
  expect(findingOf('Keys of callers')).toBe(
    'FAILED responded with no key set (RFC 7517). Check JWT_JWKS_URL',
  );
  expect(findingOf('Redis')).toMatch(/^FAILED .*ECONNREFUSED.*REDIS_URL/);
  expect(stdout).not.toContain('canary');
});
