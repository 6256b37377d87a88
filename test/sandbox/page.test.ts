import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json } from '../support/json.ts';
import { useSandbox } from './caller.ts';

const sandbox = useSandbox();

const folder = new URL('../../browser/', import.meta.url);
const get = (path: string, headers: Record<string, string> = {}) => fetch(sandbox.url + path, { headers });

const ofBrowser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('GET /sandbox', () => {
  test.each([ofBrowser, 'text/html', 'application/json;q=0.5, text/html'])(
    'S.page.1 With Accept: %s it is a page',
    async (accept) => {
      const response = await get('/sandbox', { accept });

      expect([response.status, response.headers.get('content-type')]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      expect(response.headers.get('vary')).toBe('accept');
      expect(await response.text()).toContain('<title>Tributary sandbox</title>');
    },
  );

  test.each([
    '*/*',
    'application/json',
    'application/json, text/plain, */*',
    'text/html;q=0.5, */*',
    'image/png',
  ])('S.page.2 With Accept: %s it is JSON', async (accept) => {
    const response = await get('/sandbox', { accept });

    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
    expect(response.headers.get('vary')).toBe('accept');
    expect(await response.json()).toHaveProperty('available');
  });

  test('S.page.2 HEAD is answered like GET, without a body', async () => {
    for (const accept of [ofBrowser, 'application/json']) {
      const [head, got] = await Promise.all(
        ['HEAD', 'GET'].map((method) => fetch(`${sandbox.url}/sandbox`, { method, headers: { accept } })),
      );

      expect([head?.status, head?.headers.get('content-type')]).toEqual([
        200,
        got?.headers.get('content-type'),
      ]);
      expect(await head?.text()).toBe('');
    }
  });

  test('S.page.3 The page runs scripts and styles of the sandbox only, and no other page frames it', async () => {
    const response = await get('/sandbox', { accept: ofBrowser });
    const policy = response.headers.get('content-security-policy')?.split('; ');

    expect(policy).toEqual(
      expect.arrayContaining([
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "require-trusted-types-for 'script'",
        "frame-ancestors 'none'",
      ]),
    );
    expect(await response.text()).not.toMatch(/<script(?![^>]* src=)|<style| style=| on\w+=/);
  });

  test('S.page.4 All files that the page loads are served, and no others of the package', async () => {
    const html = await (await get('/sandbox', { accept: ofBrowser })).text();
    const loaded = [...html.matchAll(/(?:href|src)="(\/sandbox\/pages\/[^"]+)"/g)].map(
      ([, path = '']) => path,
    );
    const scripts = readdirSync(new URL('sandbox/', folder)).filter((name) => name.endsWith('.js'));
    const imported = scripts.flatMap((name) =>
      [
        ...readFileSync(new URL(`sandbox/${name}`, folder), 'utf8').matchAll(
          /^(?:import|\}).* from '(\.[^']+)'/gm,
        ),
      ].map(([, path = '']) => new URL(path, `http://host/sandbox/pages/sandbox/${name}`).pathname),
    );

    expect(imported).toContain('/sandbox/pages/dom.js');
    for (const path of new Set([...loaded, ...imported])) {
      const { status, headers } = await get(path);
      expect([path, status, headers.get('content-type')]).toEqual([
        path,
        200,
        expect.stringMatching(/^(text\/(css|javascript)|image\/svg\+xml); charset=utf-8$/),
      ]);
    }
    for (const path of [
      'console/main.js',
      'sandbox/sandbox.html',
      'sandbox/types.d.ts',
      '../package.json',
      '..%2fpackage.json',
      'sandbox/..%2f..%2fpackage.json',
      '',
    ])
      expect([path, (await get(`/sandbox/pages/${path}`)).status]).toEqual([path, 404]);
  });
});

describe('GET /sandbox/contents', () => {
  test('S.contents.1 Each path in it can be requested, and each set has the records that it says', async () => {
    const { body } = await sandbox.get('/sandbox/contents');
    const described = [...body.oddRecords, ...body.virtualInstances, ...body.instances, ...body.events];
    const statuses = await Promise.all(
      described.map(async ({ path }: Json) => (await sandbox.get(path)).status),
    );

    expect(described.length).toBeGreaterThan(100);
    expect(new Set(statuses)).toEqual(new Set([200]));
    for (const { sets } of body.companies)
      for (const { name, records, path } of sets) {
        const reply = await sandbox.get(path.replace(/\?.*/, '/$count'));
        expect([name, reply.status, reply.text]).toEqual([name, 200, String(records)]);
      }
  });

  test('S.contents.2 It says how a stop of each instance ends, and what is special of each', async () => {
    const { body } = await sandbox.get('/sandbox/contents');
    const outcomes = Object.fromEntries(body.instances.map(({ name, outcome }: Json) => [name, outcome]));

    expect(outcomes).toMatchObject({
      app01: 'Succeeds',
      fragile: 'Fails',
      busy: 'Rejected',
      gateway: 'Succeeds',
      endless: 'Never ends',
    });
    expect(body.instances.every(({ description }: Json) => description !== null)).toBe(true);
    expect(body.events.every(({ description }: Json) => description !== null)).toBe(true);
    expect(body.users.map(({ name }: Json) => name)).toEqual(expect.arrayContaining(['ada', 'guest']));
  });
});
