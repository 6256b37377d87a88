import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { checkHealth } from '../../../src/commands/healthcheck.ts';
import { requireDevSettings, requireServeSettings } from '../../../src/commands/load-settings.ts';
import { namePorts } from '../../../src/commands/run-command.ts';
import { readConfig } from '../../../src/config/config.ts';

const read = (env: Readonly<Record<string, string>>) => readConfig(env, () => '');

test('serve needs an upstream, and offers no pages unless asked', () => {
  const MANAGEMENT_URL = 'https://management.example';

  expect(() => requireServeSettings(read({}))).toThrow(
    'BUSINESS_URL or MANAGEMENT_URL is required by `serve`.',
  );
  expect(requireServeSettings(read({ MANAGEMENT_URL })).PAGES).toBe('off');
  expect(requireServeSettings(read({ MANAGEMENT_URL, PAGES: 'on' })).PAGES).toBe('on');
});

test.for(['127.0.0.9', '::1', 'LOCALHOST'])('dev listens on the loopback address %s', (HOST) => {
  expect(requireDevSettings(read({ HOST })).HOST).toBe(HOST);
});

test.for(['0.0.0.0', '::ffff:127.0.0.1', 'localhost.example'])('dev does not listen on %s', (HOST) => {
  expect(() => requireDevSettings(read({ HOST }))).toThrow(
    /^HOST is .*: expected a loopback address, .* Use `serve`/,
  );
});

const failure = (code: string, port: number, syscall = 'listen') =>
  Object.assign(new Error('of the system'), { code, port, syscall });

test.for([
  [
    failure('EADDRINUSE', 4000),
    'Port 4000 is in use. Set PORT or --port to another port, or to 0 for a free one.',
  ],
  [
    failure('EADDRINUSE', 4001),
    'Port 4001 is in use. Set ADMIN_PORT to another port, or to 0 for a free one.',
  ],
  [failure('EACCES', 4000), 'This process may not listen on port 4000. Set PORT or --port to 1024 or more.'],
] as const)('of %o a start tells the setting to change', ([error, message]) => {
  expect(() => namePorts(read({}))(error)).toThrow(message);
  expect(() => namePorts(read({ ADMIN_PORT: '4000' }))(failure('EADDRINUSE', 4000))).toThrow(
    'Set PORT or --port or ADMIN_PORT to',
  );
});

describe('healthcheck', () => {
  const start = async (status: number, host: string) => {
    const server = createServer(({ url }, response) =>
      response.writeHead(url === '/livez' ? status : 500).end(),
    );
    await new Promise<void>((resolve) => server.listen(0, host, resolve));
    onTestFinished(() => void server.close());
    return String((server.address() as AddressInfo).port);
  };

  // A process that listens everywhere is asked on loopback, too.
  test.for([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '::1'],
  ] as const)('of a server that is alive on %s succeeds', async ([HOST, at]) => {
    const ADMIN_PORT = await start(200, at);

    await expect(checkHealth(read({ HOST, ADMIN_PORT }))).resolves.toBeUndefined();
  });

  test('fails where something else answers, nobody does, or there is no port to ask at', async () => {
    const ADMIN_PORT = await start(404, '127.0.0.1');

    await expect(checkHealth(read({ ADMIN_PORT }))).rejects.toThrow(
      `http://127.0.0.1:${ADMIN_PORT}/livez responded with 404.`,
    );
    await expect(checkHealth(read({ ADMIN_PORT: '9' }))).rejects.toThrow(
      /^No response from http:\/\/127\.0\.0\.1:9\/livez: .*\.$/,
    );
    await expect(checkHealth(read({ ADMIN_PORT: 'off' }))).rejects.toThrow(
      'ADMIN_PORT is "off": expected a port',
    );
  });
});
