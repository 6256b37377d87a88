import { get } from 'node:http';
import { getOperationAST, parse, validate } from 'graphql';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { createExamples, type Example } from '../../../src/server/pages/examples.ts';
import { filesPathOf } from '../../support/files-path.ts';
import type { Json } from '../../support/json.ts';
import { testWithSandbox } from '../../support/sandbox.ts';
import { startExplorer } from './chromium.ts';

const token = 'sandbox';
const examples = createExamples({ companyId: sandboxCompanyId, ...sandboxExamples });
const test = testWithSandbox()
  .extend('layer', { scope: 'file' }, async ({ startedSandbox }, { onCleanup }) => {
    const layer = await startExplorer(startedSandbox.url, { examples, token, signIn: null });
    onCleanup(() => layer.stop());
    return layer;
  })
  .extend('url', async ({ layer, sandbox: _reset }) => layer.url);

test('the page may run the scripts of this server and no others, and has no inline style', async ({
  url,
}) => {
  const response = await fetch(url);
  const html = await response.text();

  const policy = response.headers.get('content-security-policy')?.split('; ');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(policy).toEqual(
    expect.arrayContaining([
      "default-src 'self'",
      "script-src 'self'",
      "require-trusted-types-for 'script'",
      "frame-ancestors 'none'",
    ]),
  );
  expect(policy?.join()).not.toContain('unsafe');
  expect(html).not.toMatch(/<script(?![^>]* src="\/pages\/)|<style|\sstyle=|\son\w+=|(?:src|href)="https?:/);
});

test('every script and stylesheet of the page is served here, as what it is', async ({ url }) => {
  const html = await (await fetch(url)).text();

  const files = [...html.matchAll(/<(?:script|link)\b[^>]*? (?:src|href)="([^"]*)"/g)]
    .map(([, file = '']) => new URL(file, url))
    .filter(({ pathname }) => /\.(js|css)$/.test(pathname));
  expect(files.map(({ pathname }) => pathname)).toEqual(
    expect.arrayContaining(
      ['main.js', 'explorer.css', 'libraries.js', 'settings.js'].map((name) =>
        expect.stringMatching(new RegExp(`^/pages/[0-9a-f]{8}/explorer/${name}$`)),
      ),
    ),
  );
  for (const file of files) {
    const { status, headers } = await fetch(file);
    const type = file.pathname.endsWith('.css') ? /^text\/css;/ : /^text\/javascript;/;
    expect({ origin: file.origin, status, type: headers.get('content-type') }, file.pathname).toEqual({
      origin: url,
      status: 200,
      type: expect.stringMatching(type),
    });
  }
});

test('a file of the page is served under one address: a path with an empty or a dot segment is not found', async ({
  url,
}) => {
  const { port } = new URL(url);
  // `fetch` would send what such a path resolves to.
  const statusOf = (path: string) =>
    new Promise((resolve, reject) => {
      get({ port, path }, (response) => resolve(response.resume().statusCode)).on('error', reject);
    });
  const files = await filesPathOf(url);

  expect(await statusOf(`${files}explorer/main.js`)).toBe(200);
  for (const path of [
    '/explorer/main.js',
    './explorer/main.js',
    '%2e/explorer/main.js',
    'console/../explorer/main.js',
    'console/%2e%2e/explorer/main.js',
    'explorer/explorer.html',
    'explorer/settings.d.ts',
    'tsconfig.json',
  ])
    expect([path, await statusOf(files + path)]).toEqual([path, 404]);
});

test('the page is told the examples, and the token of the sandbox and no other', async ({
  url,
  sandbox,
  onTestFinished,
}) => {
  const other = await startExplorer(sandbox.url, { examples: [], token: null, signIn: null });
  onTestFinished(() => other.stop());
  const settingsOf = async (address: string) => {
    const text = await (await fetch(`${address}${await filesPathOf(address)}explorer/settings.js`)).text();
    return JSON.parse(text.replace(/^export const settings = |;\n$/g, ''));
  };

  const common = { graphPath: '/graphql', consolePath: null, journalUrl: null, canSignIn: false };
  expect(await settingsOf(url)).toEqual({ ...common, token, examples });
  expect(await settingsOf(other.url)).toEqual({ ...common, token: null, examples: [] });
});

test.for(examples)('the example $name fits the schema', ({ query }) => {
  expect(validate(createSchema(), parse(query))).toEqual([]);
});

test.for(examples)(
  'the example $name finds what it asks for in the sandbox, in as many upstream calls as it says',
  async (example, { url, sandbox }) => {
    await sandbox.forgetCalls();
    const { data, errors } = await run(url, example);

    const [, said] = /(two|three) upstream calls/i.exec(example.query) ?? [];
    if (said) expect(await sandbox.calls()).toHaveLength(['two', 'three'].indexOf(said.toLowerCase()) + 2);

    const found = Object.values(data ?? {}).flatMap((value) => [value, ...Object.values(value ?? {})]);
    expect(errors).toBeUndefined();
    expect(found).not.toEqual([]);
    expect(found).not.toContain(null);
    for (const { userErrors = [] } of Object.values(data ?? {})) expect(userErrors).toEqual([]);
  },
);

/** Runs the first operation of an example, as the explorer does. */
async function run(
  url: string,
  { query, variables }: Example,
): Promise<{ data?: Record<string, Json>; errors?: unknown[] }> {
  const [first] = parse(query).definitions;
  const operationName = first && 'name' in first ? first.name?.value : undefined;
  expect(getOperationAST(parse(query), operationName)?.operation).not.toBe('subscription');
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables, operationName }),
  });
  return (await response.json()) as { data?: Record<string, Json>; errors?: unknown[] };
}
