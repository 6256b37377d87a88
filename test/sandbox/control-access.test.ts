import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import { company, useSandbox } from './caller.ts';

const sandbox = useSandbox();

/** Sends a request with any headers, also those that `fetch` sets by itself. */
function send(method: string, path: string, headers: Readonly<Record<string, string>>): Promise<number> {
  const { hostname, port } = new URL(sandbox.url);
  return new Promise((resolve, reject) => {
    request({ hostname, port, method, path, headers }, (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    })
      .once('error', reject)
      .end();
  });
}

const ownHeaders = () => ({ host: new URL(sandbox.url).host, origin: sandbox.url });

const changes = [
  ['POST', '/sandbox/reset'],
  ['POST', '/sandbox/faults'],
  ['DELETE', '/sandbox/faults'],
  ['DELETE', '/sandbox/journal'],
  ['GET', '/sandbox/journal'],
] as const;

describe('pages of other origins', () => {
  test.each(changes)(
    'S.access.1 %s %s is refused where a browser says that another page sent it',
    async (method, path) => {
      for (const site of ['cross-site', 'same-site'])
        expect(await send(method, path, { 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })).toBe(403);
      for (const origin of ['https://example.com', 'http://127.0.0.1:1', 'null'])
        expect(await send(method, path, { origin, 'content-type': 'text/plain' })).toBe(403);
      expect(await send(method, path, { 'sec-fetch-site': 'cross-site', origin: sandbox.url })).toBe(403);
    },
  );

  test.each(changes)(
    'S.access.2 %s %s is refused where its Host is a name that a name server decides',
    async (method, path) => {
      const { port } = new URL(sandbox.url);
      for (const host of [
        'rebound.example',
        `rebound.example:${port}`,
        '127.0.0.1.example',
        'localhost.example',
      ])
        expect(
          await send(method, path, { host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' }),
        ).toBe(403);
    },
  );

  test('S.access.3 A form of another page that is submitted here changes nothing', async () => {
    await sandbox.get(`${company}/items?$top=1`);
    const headers = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      origin: 'https://example.com',
    };

    expect(await send('POST', '/sandbox/reset', headers)).toBe(403);
    expect((await sandbox.get('/sandbox/journal')).body.requests).toHaveLength(1);
  });

  test('S.access.4 A link of another page to the sandbox works', async () => {
    const headers = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', accept: 'text/html' };

    expect(await send('GET', '/sandbox', headers)).toBe(200);
  });

  test('S.access.5 Programs, and pages of the sandbox, may do everything', async () => {
    expect(await send('POST', '/sandbox/reset', {})).toBe(204);
    expect(await send('POST', '/sandbox/reset', ownHeaders())).toBe(204);
    expect(await send('POST', '/sandbox/reset', { ...ownHeaders(), 'sec-fetch-site': 'same-origin' })).toBe(
      204,
    );
    for (const host of ['localhost', 'localhost:4100', 'sandbox.localhost', '127.0.0.1:1', '[::1]:4100'])
      expect(await send('POST', '/sandbox/reset', { host })).toBe(204);
  });
});
