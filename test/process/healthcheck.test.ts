import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { runTributary, startTributary } from '../support/process.ts';

const listening = async (status: number) => {
  const server = createServer((_request, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: String((server.address() as AddressInfo).port) };
};

// A process that listens everywhere is asked on loopback, too.
test.for(['127.0.0.1', '0.0.0.0'])(
  'healthcheck of %s ends with 0 while the process is alive, and with 1 when it has ended',
  async (host) => {
    const { server, port } = await listening(200);
    server.close();
    const settings = { HOST: host, ADMIN_PORT: port };
    const running = startTributary(['serve'], {
      ADMIN_PORT: port,
      PORT: '0',
      BUSINESS_URL: 'http://127.0.0.1:9',
    });
    await running.printed(/readyz/);

    const alive = await runTributary(['healthcheck'], settings);
    await running.stop();
    const ended = await runTributary(['healthcheck'], settings);

    expect(alive).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(ended.code).toBe(1);
    expect(ended.stderr).toMatch(
      new RegExp(`^No response from http://127.0.0.1:${port}/livez: .*ECONNREFUSED.*\n$`),
    );
  },
);

test('healthcheck ends with 1 where something else answers', async () => {
  const { server, port } = await listening(404);

  const { code, stderr } = await runTributary(['healthcheck'], { ADMIN_PORT: port });
  server.close();

  expect(code).toBe(1);
  expect(stderr).toBe(`http://127.0.0.1:${port}/livez responded with 404.\n`);
});

test('healthcheck ends with 2 where there is no port to ask at', async () => {
  const { code, stderr } = await runTributary(['healthcheck'], { ADMIN_PORT: 'off' });

  expect(code).toBe(2);
  expect(stderr).toContain('ADMIN_PORT is "off": expected a port');
});
