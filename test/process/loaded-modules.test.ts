import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test as base, expect } from 'vitest';
import { fixture } from '../support/fixture.ts';
import { startScript } from '../support/process.ts';

const root = new URL('../../', import.meta.url);

const test = base.extend(
  'startRecorded',
  fixture(async ({ onCleanup }) => {
    const folder = mkdtempSync(join(tmpdir(), 'tributary-modules-'));
    onCleanup(() => rmSync(folder, { recursive: true }));
    return (command: string, settings: Readonly<Record<string, string>>) => {
      const args = command.split(' ');
      const file = join(folder, args.join());
      const hook = new URL('test/support/runner/loaded-modules.mjs', root);
      hook.searchParams.set('to', file);
      const running = startScript(['--import', hook.href, 'dist/main.js', ...args], settings);
      /** Modules of the project and of packages, by their paths in the repository. */
      const loaded = () =>
        readFileSync(file, 'utf8')
          .split('\n')
          .filter((url) => url.startsWith(root.href))
          .map((url) => url.slice(root.href.length));
      return { running, loaded };
    };
  }),
);

const isOfSandbox = (path: string) => !path.startsWith('node_modules/') && path.includes('sandbox');
const isOfAdding = (path: string) => /^dist\/(adding|commands\/add)/.test(path);
const isOfMcp = (path: string) => /^dist\/mcp\/|@modelcontextprotocol/.test(path);
const isOfTracing = (path: string) => path.includes('node_modules/@opentelemetry/sdk-trace');
const serveSettings = {
  PORT: '0',
  ADMIN_PORT: '0',
  BUSINESS_URL: 'http://127.0.0.1:9',
  OPERATION_SECRETS: 'a secret of the test',
  OTEL_TRACES_SAMPLER: 'always_on',
};

// Recording runs in a thread of its own and slows the start.
test('serve and healthcheck load no module of the sandbox, of the commands add and mcp, nor of OpenTelemetry', async ({
  startRecorded,
}) => {
  const serve = startRecorded('serve', serveSettings);
  const ADMIN_PORT = /:(\d+)\/readyz/.exec(await serve.running.printed(/readyz/))?.[1] ?? '';
  const healthcheck = startRecorded('healthcheck', { ADMIN_PORT });
  const { code } = await healthcheck.running.ended;
  await serve.running.stop();

  expect(code).toBe(0);
  expect(serve.loaded()).toEqual(
    expect.arrayContaining(['dist/main.js', 'dist/server/server.js', 'dist/http/client.js']),
  );
  expect(serve.loaded().filter(isOfSandbox)).toEqual([]);
  expect(serve.loaded().filter(isOfAdding)).toEqual([]);
  expect(serve.loaded().filter(isOfMcp)).toEqual([]);
  expect(serve.loaded().filter(isOfTracing)).toEqual([]);
  expect(healthcheck.loaded()).toEqual(
    expect.arrayContaining(['dist/main.js', 'dist/commands/healthcheck.js']),
  );
  expect(healthcheck.loaded().filter(isOfSandbox)).toEqual([]);
});
