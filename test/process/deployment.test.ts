import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DockerfileParser } from 'dockerfile-ast';
import { validate } from 'dockerfile-utils';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { readConfig } from '../../src/config/config.ts';
import { settingsSchema } from '../../src/config/settings.ts';
import { buildImage } from '../support/deployment/image.ts';
import { startProcess } from '../support/process.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const settings = new Set(Object.keys(settingsSchema.shape).flatMap((name) => [name, `${name}_FILE`]));

const dockerfile = DockerfileParser.parse(textOf('Dockerfile'));
const lastStage = dockerfile
  .getInstructions()
  .slice(dockerfile.getInstructions().findLastIndex((instruction) => instruction.getKeyword() === 'FROM'));
const argumentsOf = (keyword: string) =>
  lastStage
    .filter((instruction) => instruction.getKeyword() === keyword)
    .map((instruction) => instruction.getArgumentsContent() ?? '');

test('the Dockerfile has no fault, and ends as an unprivileged user', () => {
  expect(validate(textOf('Dockerfile'))).toEqual([]);
  expect(argumentsOf('USER')).toEqual(['node']);
  expect(argumentsOf('STOPSIGNAL')).toEqual(['SIGTERM']);
  expect(argumentsOf('EXPOSE')).toEqual(['4000 4001']);
});

// Code is generated and compiled in it.
const buildTimeout = 300_000;

test(
  'what the Dockerfile builds is enough to serve, its health check passes until it ends, its pages have no token, and the sandbox is not in it',
  async () => {
    const { workdir, entrypoint, cmd, healthcheck, ran } = await buildImage(dockerfile);
    const run = ([node, ...args]: readonly string[], given: Readonly<Record<string, string>>) => {
      expect(node).toBe('node');
      return startProcess(
        process.execPath,
        ['--preserve-symlinks', '--preserve-symlinks-main', ...args],
        given,
        workdir,
      );
    };
    const running = run([...entrypoint, ...cmd], {
      PORT: '0',
      PAGES: 'on',
      BUSINESS_URL: 'http://127.0.0.1:9',
    });
    const printed = await running.printed(/readyz/);
    const graph = /at (\S+)\/graphql/.exec(printed)?.[1];
    const ADMIN_PORT = /:(\d+)\/readyz/.exec(printed)?.[1] ?? '';

    const explorer = await (await fetch(`${graph}/`)).text();
    const [path] = /\/pages\/\w+\/explorer\/settings\.js/.exec(explorer) ?? [];
    const pageSettings = await (await fetch(`${graph}${path}`)).text();
    const answer = await fetch(`${graph}/graphql?query={__typename}`, {
      headers: { 'apollo-require-preflight': '1' },
    });
    const health = await run(healthcheck, { ADMIN_PORT }).ended;
    const ended = await running.stop();
    const unhealthy = await run(healthcheck, { ADMIN_PORT }).ended;
    const sandboxes = await Promise.all(
      ['dev', 'sandbox'].map((command) => run([...entrypoint, command], {}).ended),
    );

    expect(ran).toEqual([
      'npm ci --ignore-scripts',
      'npm run build',
      'npm prune --omit=dev --ignore-scripts',
    ]);
    expect(explorer).toContain('<title>Tributary explorer</title>');
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
    expect(pageSettings).toContain('"token":null');
    expect(health).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(unhealthy).toMatchObject({ code: 1, stderr: expect.stringContaining('ECONNREFUSED') });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(readdirSync(workdir).sort()).toEqual([
      'browser',
      'dist',
      'node_modules',
      'package.json',
      'schema',
    ]);
    expect(readdirSync(join(workdir, 'browser'))).not.toContain('sandbox');
    for (const { code, stderr } of sandboxes) {
      expect(code).toBe(1);
      expect(stderr).toMatch(/^The sandbox is not installed: /);
    }
  },
  buildTimeout,
);

interface ComposeService {
  readonly environment?: Readonly<Record<string, string>>;
  readonly deploy?: { readonly replicas: number };
  readonly depends_on?: Readonly<Record<string, unknown>>;
  readonly stop_grace_period?: string;
}

const endsWithin = (given: Readonly<Record<string, string>>) => {
  const { DRAIN_DELAY_MS, DRAIN_TIMEOUT_MS } = readConfig(given, () => '');
  return (DRAIN_DELAY_MS + DRAIN_TIMEOUT_MS) / 1000;
};

const { services } = parse(textOf('compose.yaml')) as {
  services: { tributary: ComposeService; balancer: ComposeService; redis: ComposeService };
};

test('compose.yaml runs two replicas that meet at Redis, with settings that exist and time to end', () => {
  const { environment: given = {}, deploy, depends_on = {}, stop_grace_period } = services.tributary;
  const { DRAIN_DELAY_MS = '' } = given;

  expect(Object.keys(given).filter((name) => !settings.has(name))).toEqual([]);
  expect(deploy?.replicas).toBe(2);
  expect(Object.keys(depends_on)).toEqual(['redis']);
  expect(Number.parseInt(stop_grace_period ?? '', 10)).toBeGreaterThanOrEqual(
    endsWithin({ DRAIN_DELAY_MS }) + 5,
  );
  for (const service of Object.values(services))
    expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'] });
});
