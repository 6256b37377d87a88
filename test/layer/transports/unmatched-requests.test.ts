import { describe, expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { startTributary } from '../../../src/app/compose.ts';
import { createLogger } from '../../../src/app/log.ts';
import { readConfig } from '../../../src/config/config.ts';
import { test as base, startTestLayer } from '../../support/layer.ts';

const test = base.extend('pages', { scope: 'file' }, async ({ startedSandbox }, { onCleanup }) => {
  const settings = {
    PORT: '0',
    ADMIN_PORT: 'off',
    BUSINESS_URL: startedSandbox.url,
    BUSINESS_COMPANY_ID: sandboxCompanyId,
  };
  const pages = {
    examples: [],
    console: { subscriptionId: null, environment: [] },
    token: null,
    signIn: null,
  };
  const silent = createLogger({ LOG_LEVEL: 'silent' }, { write: () => {} });
  const server = await startTributary(
    readConfig(settings, () => ''),
    pages,
    silent,
    'dev',
  );
  onCleanup(() => server.stop());
  return server;
});

async function send(url: string, method: string, path: string) {
  const response = await fetch(url + path, { method });
  const text = await response.text();
  return {
    status: response.status,
    allow: response.headers.get('allow'),
    message: method === 'HEAD' ? null : JSON.parse(text).errors[0].message,
  };
}

describe('another method of a known path is 405 and lists those that the path takes:', () => {
  test.for([
    ['HEAD', '/graphql', 'GET, POST', null],
    ['DELETE', '/console?a=/', 'GET, HEAD', /GET, HEAD/],
    ['POST', '/files/a/b', 'GET, HEAD, PUT', /PUT/],
  ] as const)('%s %s', async ([method, path, allow, message], { pages }) => {
    const answer = await send(pages.url, method, path);

    expect(answer).toMatchObject({ status: 405, message: message && expect.stringMatching(message) });
    expect(answer.allow).toBe(allow);
  });
});

describe('an unknown path is 404 and says what is near:', () => {
  test.for([
    ['/console/', 'The path is /console,'],
    ['/graph', 'The GraphQL endpoint is /graphql.'],
    ['/__proto__', 'The GraphQL endpoint is /graphql.'],
  ] as const)('%s', async ([path, message], { pages }) => {
    const answer = await send(pages.url, 'POST', path);

    expect(answer).toMatchObject({ status: 404, allow: null, message: expect.stringContaining(message) });
  });
});

test('what a setting turns off is 404 and names the setting', async ({ sandbox }) => {
  const layer = await startTestLayer(sandbox.url);
  const answers = await Promise.all(['/console', '/'].map((path) => send(layer.url, 'POST', path)));
  await layer.stop();

  expect(answers.map(({ status }) => status)).toEqual([404, 404]);
  expect(answers.map(({ message }) => message)).toEqual([
    expect.stringContaining('(setting PAGES)'),
    expect.stringContaining('(setting PAGES)'),
  ]);
});
