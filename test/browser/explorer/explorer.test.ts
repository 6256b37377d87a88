import { get } from 'node:http';
import { runInNewContext } from 'node:vm';
import { SANDBOX_FRAME_CSP } from 'altair-static';
import { getOperationAST, parse, validate } from 'graphql';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { createSchema } from '../../../src/app/schema.ts';
import { createExamples, type Example } from '../../../src/server/pages/examples.ts';
import { hasChromium, inChromium } from '../../support/chromium.ts';
import type { Json } from '../../support/json.ts';
import { openExplorer, startExplorer, testInBrowser } from './chromium.ts';

const token = 'sandbox';
const examples = createExamples({ companyId: sandboxCompanyId, ...sandboxExamples });
const isSubscription = ({ query }: Example) => getOperationAST(parse(query))?.operation === 'subscription';
const exampleWith = (text: string) => examples.find(({ query }) => query.includes(text)) as Example;

const test = testInBrowser
  .extend('layer', { scope: 'file' }, async ({ startedSandbox }, { onCleanup }) => {
    const layer = await startExplorer(startedSandbox.url, { examples, token, signIn: null });
    onCleanup(() => layer.stop());
    return layer;
  })
  .extend('url', async ({ layer, sandbox: _reset }) => layer.url)
  .extend('visit', async ({ browser, url }, { onCleanup }) => {
    const visit = await openExplorer(browser, url);
    onCleanup(() => visit.context.close());
    return visit;
  });

test('the page may run the scripts of this server and no others', async ({ url }) => {
  const response = await fetch(url);
  const html = await response.text();

  const policy = response.headers.get('content-security-policy')?.split('; ');
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
  expect(policy).toEqual(expect.arrayContaining(["default-src 'self'", "script-src 'self'"]));
  expect(html).not.toMatch(/<script(?![^>]* src=)/);
});

test('every script and stylesheet of the page is served here, as what it is', async ({ url }) => {
  const html = await (await fetch(url)).text();

  const root = new URL(/<base href="([^"]*)"/.exec(html)?.[1] ?? '', url);
  const files = [...html.matchAll(/<(?:script|link)\b[^>]*? (?:src|href)="([^"]*)"/g)]
    .map(([, file = '']) => new URL(file, root))
    .filter(({ pathname }) => /\.(js|css)$/.test(pathname));
  const served = await Promise.all(
    files.map(async (file) => {
      const { status, headers } = await fetch(file);
      return { file, status, type: headers.get('content-type') };
    }),
  );
  expect(files.map(({ pathname }) => pathname)).toEqual(
    expect.arrayContaining(['/explorer/main.js', '/explorer/styles.css', '/explorer/initial_options.js']),
  );
  for (const { file, status, type } of served) {
    const expected = file.pathname.endsWith('.css') ? /^text\/css;/ : /^(text|application)\/javascript;/;
    expect({ origin: file.origin, status, type }, file.pathname).toEqual({
      origin: url,
      status: 200,
      type: expect.stringMatching(expected),
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

  expect(await statusOf('/explorer/main.js')).toBe(200);
  for (const path of [
    '//main.js',
    '/./main.js',
    '/%2e/main.js',
    '/assets/../main.js',
    '/assets/%2e%2e/main.js',
  ])
    expect([path, await statusOf(`/explorer${path}`)]).toEqual([path, 404]);
});

test('scripts of the page carry its policy, and their frame for foreign scripts one of its own', async ({
  url,
}) => {
  const policyOf = async (path: string) =>
    (await fetch(`${url}${path}`)).headers.get('content-security-policy');

  expect(await policyOf('/explorer/main.js')).toBe(await policyOf('/'));
  expect(await policyOf('/explorer/iframe-sandbox/index.html')).toBe(SANDBOX_FRAME_CSP);
});

test('there is a window for each example, and it may speak to the sandbox', async ({ url }) => {
  const { initialWindows } = await optionsOf(url);

  expect(initialWindows).toEqual(
    examples.map(({ name, query, variables }) => ({
      initialName: name,
      initialQuery: query,
      initialVariables: JSON.stringify(variables, null, 2),
      initialHeaders: { authorization: `Bearer ${token}` },
      initialSubscriptionRequestHandlerId: 'graphql-ws',
      initialSubscriptionsPayload: { authorization: `Bearer ${token}` },
    })),
  );
});

test('windows that a browser remembers do not hide other examples', async ({
  url,
  sandbox,
  onTestFinished,
}) => {
  const other = await startExplorer(sandbox.url, {
    examples: examples.slice(1),
    token: null,
    signIn: null,
  });
  onTestFinished(() => other.stop());

  const options = await optionsOf(url);
  const otherOptions = await optionsOf(other.url);

  expect(otherOptions.initialHeaders).toEqual({ authorization: '' });
  expect(otherOptions.instanceStorageNamespace).not.toBe(options.instanceStorageNamespace);
});

test.for(examples)('the example $name fits the schema', ({ query }) => {
  expect(validate(createSchema(), parse(query))).toEqual([]);
});

test.for(examples.filter((example) => !isSubscription(example)))(
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

test.skipIf(!hasChromium)(
  `${inChromium}, a first visit opens on the orders, sends them and shows the schema`,
  async ({ visit }) => {
    const { page, tabs, window, result } = visit;

    await visit.isOpen('Orders');
    await visit.send();
    await result.getByText('"Harbour & Heath"').waitFor();
    await window.getByRole('button', { name: 'Docs' }).click();
    await window.locator('app-doc-viewer').getByText('Mutation', { exact: true }).waitFor();

    await expect
      .poll(() => tabs.locator('.window-switcher__input').allInnerTexts())
      .toEqual(examples.map(({ name }) => name));
    expect(await page.getByText('Altair AI').count()).toBe(0);
    expect({ foreign: visit.foreign, complaints: visit.complaints }).toEqual({ foreign: [], complaints: [] });
  },
);

test.skipIf(!hasChromium)(
  `${inChromium}, the id of a stopping instance is all it takes to watch it stop`,
  async ({ visit }) => {
    const { result } = visit;
    await visit.isOpen('Orders');
    await visit.open(exampleWith('stopApplicationInstance').name);
    await visit.send();
    await result.getByText('"userErrors": []').waitFor();
    const [, id] = /"id": "([^"]+)"/.exec(await result.innerText()) ?? [];

    await visit.open(exampleWith('operationProgress').name);
    await visit.fillVariables({ id });
    await visit.send();
    await result.filter({ hasText: /"operationProgress": \{\s*"state": "SUCCEEDED"/ }).waitFor();

    expect(await result.getByText('"errors"').count()).toBe(0);
    expect({ foreign: visit.foreign, complaints: visit.complaints }).toEqual({ foreign: [], complaints: [] });
  },
);

interface Options {
  readonly initialWindows: unknown;
  readonly initialHeaders: unknown;
  readonly instanceStorageNamespace: string;
}

// What the page hands to Altair; on a later visit, so that nothing else of the page is needed.
async function optionsOf(url: string): Promise<Options> {
  const script = await (await fetch(`${url}/explorer/initial_options.js`)).text();
  const given: Options[] = [];
  runInNewContext(script, {
    AltairGraphQL: { init: (options: Options) => given.push(structuredClone(options)) },
    localStorage: { getItem: () => 'true' },
    location: { hash: '' },
    URLSearchParams,
  });
  expect(given).toHaveLength(1);
  return given[0] as Options;
}

async function run(
  url: string,
  { query, variables }: Example,
): Promise<{ data?: Record<string, Json>; errors?: unknown[] }> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ query, variables }),
  });
  return (await response.json()) as { data?: Record<string, Json>; errors?: unknown[] };
}

test.skipIf(!hasChromium)(
  `${inChromium}, a link opens its operation in a window of its own, sends nothing, and leaves the stored windows`,
  async ({ browser, startedSandbox, onTestFinished }) => {
    const layer = await startExplorer(startedSandbox.url, {
      examples,
      token,
      signIn: null,
      console: { subscriptionId: null, environment: [] },
    });
    onTestFinished(() => layer.stop());
    const linked = new URLSearchParams({
      query: '{ linked: __typename }',
      variables: '{ "a": "</script>" }',
    });
    const visit = await openExplorer(browser, `${layer.url}/#${linked}`);
    onTestFinished(() => visit.context.close());
    const { page, tabs, window, result } = visit;

    await tabs.filter({ hasText: 'Linked query' }).waitFor();
    await window.locator('.cm-content').getByText('linked').waitFor();
    expect(await tabs.count()).toBe(1);
    expect(await result.innerText()).not.toContain('Query');
    await visit.send();
    await result.getByText('"linked": "Query"').waitFor();
    await expect
      .poll(() => page.getByRole('link', { name: 'Console' }).getAttribute('href'))
      .toBe('/console');
    await page.goto(layer.url);
    await visit.isOpen('Orders');
    expect(await tabs.filter({ hasText: 'Linked query' }).count()).toBe(0);
  },
);
