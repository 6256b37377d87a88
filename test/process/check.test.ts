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
    '.env': 'BUSINESS_URL=https://env.example\nMAX_COST=7\nREDIS_URL_FILE=redis.txt\nHOST=::1\n',
    'redis.txt': 'redis://:canary-of-a-file@redis.example',
  };
  const settings = { MAX_COST: '9', BUSINESS_CLIENT_SECRET: 'canary-of-a-variable' };

  const { code, stdout, stderr } = await runInFolder(files, ['check', '--all', '--port', '5540'], settings);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const rows = ['PORT', 'MAX_COST', 'BUSINESS_URL', 'HOST', 'PAGES', 'LOG_LEVEL'];
  expect(rows.map((name) => rowOf(stdout, name))).toEqual([
    ['PORT', '5540', 'command line'],
    ['MAX_COST', '9', 'environment'],
    ['BUSINESS_URL', 'https://env.example', '.env'],
    ['HOST', '::1', '.env'],
    ['PAGES', 'on in dev, off in serve', 'default'],
    ['LOG_LEVEL', 'info in dev, warn in serve', 'default'],
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

test('check prints only what is set, and warns of what is probably not meant', async ({ runInFolder }) => {
  const { code, stdout } = await runInFolder({}, ['check'], {
    HOST: '0.0.0.0',
    BUSINESS_URL: 'https://business.example/api/v2.0',
  });

  expect(code).toBe(0);
  expect(rowOf(stdout, 'PORT')).toBeUndefined();
  expect(stdout.match(/^Warning: .*/gm)).toEqual([
    expect.stringContaining('HOST is 0.0.0.0 and callers are not verified'),
    expect.stringContaining('BUSINESS_URL ends in the path of an API'),
  ]);
});

test('check warns of the real services without the settings that they need', async ({ runInFolder }) => {
  const { stdout } = await runInFolder({}, ['check'], {
    BUSINESS_URL: 'https://api.businesscentral.dynamics.com/v2.0/contoso.example/production',
    MANAGEMENT_URL: 'https://management.azure.com',
  });

  expect(stdout.match(/^Warning: .*/gm)).toEqual([
    expect.stringContaining('BUSINESS_DIALECT=dynamics'),
    expect.stringContaining('INSTANCES_TYPE and HEALTH_PROVIDER'),
  ]);
});

test('a secret of the environment hides the file for it in .env', async ({ runInFolder }) => {
  const files = { '.env': 'MANAGEMENT_URL=https://env.example\nREDIS_URL_FILE=/nowhere\n' };

  const { code, stdout } = await runInFolder(files, ['check'], { REDIS_URL: 'redis://redis.example' });

  expect(code).toBe(0);
  expect(rowOf(stdout, 'REDIS_URL')).toEqual(['REDIS_URL', '(hidden)', 'environment']);
});

test('an empty variable leaves the setting to .env', async ({ runInFolder }) => {
  const files = {
    '.env':
      'BUSINESS_URL=https://env.example\nMAX_COST=77\nPORT=4061\nOPERATION_SECRETS=a-secret-of-a-file\nMANAGEMENT_SCOPES=a\n',
  };
  const empty = ['BUSINESS_URL', 'MAX_COST', 'PORT', 'OPERATION_SECRETS', 'MANAGEMENT_SCOPES', 'HOST'];

  const { code, stdout } = await runInFolder(
    files,
    ['check', '--all'],
    Object.fromEntries(empty.map((name) => [name, ''])),
  );

  expect(code).toBe(0);
  expect(empty.map((name) => rowOf(stdout, name))).toEqual([
    ['BUSINESS_URL', 'https://env.example', '.env'],
    ['MAX_COST', '77', '.env'],
    ['PORT', '4061', '.env'],
    ['OPERATION_SECRETS', '(hidden)', '.env'],
    ['MANAGEMENT_SCOPES', 'environment'],
    ['HOST', '127.0.0.1', 'default'],
  ]);
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
  const names = ['Business Records (A)', 'Areas B and C', 'Tokens for B and C', 'Keys of callers'];
  const found = names.map((name) => rowOf(stdout, name)?.slice(1));
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

test.for(['127.0.0.9', '127.0.0.1', '::1', 'localhost', 'LOCALHOST'])(
  'check takes %s as a loopback address of dev',
  async (HOST) => {
    const { code, stderr } = await runTributary(['check', '--dev'], { HOST });

    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  },
);

test('check --connect tells a server that lacks the lists of the upstreams as a wrong address', async ({
  listen,
}) => {
  const answers: Readonly<Record<string, readonly [number, string]>> = {
    page: [200, '<html></html>'],
    json: [200, '{"version":1}'],
    lists: [200, '{"value":[]}'],
  };
  const url = await listen((path) => answers[path.split('/')[1] ?? ''] ?? [404, '{}']);
  const [notFound, page, otherJson, lists] = [url, `${url}/page`, `${url}/json`, `${url}/lists`];
  const connect = async (settings: Readonly<Record<string, string>>) => {
    const { code, stdout } = await runTributary(['check', '--connect'], settings);
    const rows = ['Business Records (A)', 'Areas B and C'].map((name) =>
      rowOf(stdout, name)?.slice(2).join(' '),
    );
    return { code, rows };
  };

  const [none, another, usable, withoutList] = await Promise.all([
    connect({ BUSINESS_URL: notFound, MANAGEMENT_URL: notFound }),
    connect({ BUSINESS_URL: page, MANAGEMENT_URL: otherJson }),
    connect({ BUSINESS_URL: lists, MANAGEMENT_URL: lists }),
    connect({ BUSINESS_URL: lists, MANAGEMENT_URL: notFound, SUBSCRIPTIONS_API_VERSION: 'off' }),
  ]);

  expect(none).toEqual({
    code: 1,
    rows: [
      'FAILED responded with 404 to /api/v2.0/companies. Check the path of BUSINESS_URL',
      'FAILED responded with 404 to /subscriptions. Check the path of MANAGEMENT_URL, or set SUBSCRIPTIONS_API_VERSION to off if it has no such list',
    ],
  });
  expect(another).toEqual({
    code: 1,
    rows: [
      'FAILED responded with 200 to /api/v2.0/companies. Check the path of BUSINESS_URL',
      'FAILED responded with 200, but with no list. Check the path of MANAGEMENT_URL',
    ],
  });
  expect(usable).toEqual({ code: 0, rows: ['ok responded with 200', 'ok responded with 200'] });
  expect(withoutList).toEqual({ code: 0, rows: ['ok responded with 200', 'ok responded with 404'] });
});
