import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { test as base, expect, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { createLogger } from '../../src/app/log.ts';
import { readConfig } from '../../src/config/config.ts';
import { createRedisBus } from '../../src/operations/redis-bus.ts';
import { connectRedis } from '../../src/operations/redis-connections.ts';
import { type Finished, startProcess } from '../support/process.ts';
import { hasRedis, startTestRedis } from '../support/redis.ts';

const test = hasRedis ? base : base.skip;

const textOf = (path: string) =>
  readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
/** The commands that a file's first comment gives. */
const commandsOf = (text: string) => [...text.matchAll(/^# {3}(.*)$/gm)].map(([, line]) => line).join('\n');

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-secrets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

const shell = (script: string, folder: string): Promise<Finished> =>
  startProcess('sh', ['-euc', script], {}, folder).ended;

interface Made {
  readonly conf: string;
  readonly url: string;
  readonly options: readonly string[];
}

/** What compose.yaml has its reader make, and what its Redis is started with. */
async function madeByCompose(folder: string): Promise<Made> {
  const text = textOf('compose.yaml');
  const [commands = ''] = commandsOf(text).split('\nBUSINESS_URL=');
  expect(await shell(commands, folder)).toMatchObject({ code: 0, stderr: '' });
  const [program, path, ...options] = parse(text).services.redis.command;
  expect([program, path]).toEqual(['redis-server', '/run/secrets/redis.conf']);
  const made = (name: string) => readFileSync(join(folder, 'secrets', name), 'utf8').trim();
  return { conf: made('redis.conf'), url: made('redis_url'), options };
}

/** The same of the manifests for Kubernetes: what would be told to the cluster. */
async function madeByManifests(folder: string): Promise<Made> {
  const commands = ['base', 'components/redis']
    .map((name) => commandsOf(textOf(`deploy/kubernetes/${name}/kustomization.yaml`)))
    .join('\n');
  const script = `kubectl() { echo "$*"; }\n${commands}`;
  const { code, stdout } = await shell(script, folder);
  expect(code).toBe(0);
  const made = (name: string) =>
    new RegExp(`--from-literal=${name}=(.*?)(?= --|$)`, 'm').exec(stdout)?.[1] ?? '';
  const { containers, volumes } = parse(textOf('deploy/kubernetes/components/redis/deployment.yaml')).spec
    .template.spec;
  const [program, path, ...options] = containers[0].command;
  expect([program, path]).toEqual(['redis-server', `${containers[0].volumeMounts[0].mountPath}/redis.conf`]);
  expect(volumes).toEqual([
    { name: 'conf', secret: { secretName: 'redis', items: [{ key: 'redis.conf', path: 'redis.conf' }] } },
  ]);
  expect(made('OPERATION_SECRETS')).toMatch(/^\S{44}$/);
  return { conf: made('redis.conf'), url: made('REDIS_URL'), options };
}

test.for([
  ['compose.yaml', madeByCompose],
  ['the manifests', madeByManifests],
] as const)('the Redis of %s asks for a password, which the replicas have', async ([, make]) => {
  const folder = temporaryFolder();
  const { conf, url, options } = await make(folder);
  writeFileSync(join(folder, 'redis.conf'), conf);
  const redis = await startTestRedis(['--include', join(folder, 'redis.conf'), ...options]);
  onTestFinished(() => redis.kill());
  expect(url).toMatch(/^redis:\/\/:[0-9a-f]{64}@redis:6379$/);
  const own = url.replace('redis:6379', new URL(redis.url).host);
  writeFileSync(join(folder, 'url'), own);

  const config = readConfig({ REDIS_URL_FILE: join(folder, 'url') }, (path) => readFileSync(path, 'utf8'));
  const lost: string[] = [];
  const connections = connectRedis({
    url: config.REDIS_URL ?? '',
    log: createLogger({ LOG_LEVEL: 'warn' }, { write: (line) => void lost.push(line) }),
  });
  const bus = createRedisBus({
    connections,
    onListenerError: (error) => void lost.push(String(error)),
  });
  onTestFinished(() => bus.close());
  const stranger = new Redis(redis.url, { maxRetriesPerRequest: 0 }).on('error', () => {});
  onTestFinished(() => stranger.disconnect());
  const known = new Redis(own);
  onTestFinished(() => known.disconnect());
  const topic = 'tributary:{an-operation}';

  const member = await bus.join('an-operation', () => {});
  // A replica that has no connection leads as well.
  await expect.poll(() => connections.isConnected()).toBe(true);

  expect(await member.acquireLease()).toBe(true);
  member.publish('a state');
  await expect.poll(() => known.pttl(`${topic}:last`)).toBeGreaterThan(0);
  expect(await known.pttl(`${topic}:right`)).toBeGreaterThan(0);
  expect(lost).toEqual([]);
  await expect(stranger.exists(`${topic}:right`)).rejects.toThrow('NOAUTH');
});
