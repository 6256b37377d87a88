import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  mkdtempSync,
  openSync,
  rmSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { readMetrics } from '../support/metrics.ts';
import { type Running, startProcess } from '../support/process.ts';
import { startStub } from '../support/stub.ts';

interface Started {
  readonly running: Running;
  readonly url: string;
  readonly folder: string;
  write(name: string, content: string): void;
  /** The messages of the log since the start. */
  messages(): readonly string[];
  signal(): void;
  metric(name: string, outcome?: string): Promise<number>;
  /** Status and first error of a query. */
  ask(query: string): Promise<string>;
}

/** A server in a folder with these files. */
async function start(
  files: Readonly<Record<string, string>>,
  environment: Readonly<Record<string, string>> = {},
  command = 'serve',
): Promise<Started> {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'));
  const write = (name: string, content: string) => writeFileSync(join(folder, name), content);
  for (const [name, content] of Object.entries(files)) write(name, content);
  const settings = { PORT: '0', OPERATION_SECRETS: 'a secret of the tests', ...environment };
  const running = startProcess(process.execPath, [resolve('dist/main.js'), command], settings, folder);
  onTestFinished(async () => {
    await running.stop();
    rmSync(folder, { recursive: true });
  });
  const text = await running.printed(/readyz/);
  const url = /(http\S+)\/graphql/.exec(text)?.[1] ?? '';
  const adminUrl = /(http\S+)\/readyz/.exec(text)?.[1] ?? '';
  const lines = () =>
    running
      .output()
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as { msg: string });
  return {
    running,
    url,
    folder,
    write,
    messages: () =>
      lines()
        .map(({ msg }) => msg)
        .filter((message) => !message.startsWith('The graph is at')),
    signal: () => void process.kill(running.pid, 'SIGHUP'),
    metric: async (name, outcome) =>
      readMetrics(await (await fetch(`${adminUrl}/metrics`)).text()).of(name, outcome ? { outcome } : {}),
    async ask(query) {
      const response = await fetch(`${url}/graphql`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer token-of-the-test' },
        body: JSON.stringify({ query }),
      });
      const { errors } = (await response.json()) as { errors?: { extensions: { code: string } }[] };
      return errors?.[0]?.extensions.code ?? 'OK';
    },
  };
}

const upstream = 'business_url: http://127.0.0.1:9\n';
const reloads = 'tributary_settings_reloads_total';
const appliedAt = 'tributary_settings_applied_timestamp_seconds';
const twoAliases = '{ a: __typename b: __typename }';

test('settings that a start would refuse change nothing: one line says the same, and the process goes on', async () => {
  const { running, write, messages, signal, metric, ask } = await start({ 'tributary.yaml': upstream });
  const startedAt = await metric(appliedAt);

  write('tributary.yaml', `${upstream}max_aliases: 1\nmax_cost: unlimited\nprot: 1\n`);
  signal();

  await expect
    .poll(messages)
    .toEqual([
      `The settings were not reloaded, nothing is changed. ${[
        'tributary.yaml:4: PROT is not a setting. Did you mean PORT?',
        'tributary.yaml:3: MAX_COST is "unlimited": expected 1 to 1099511627776.',
      ].join('\n')}`,
    ]);
  expect(await ask(twoAliases)).toBe('OK');
  expect([await metric(reloads, 'rejected'), await metric(reloads, 'applied')]).toEqual([1, 0]);
  expect(await metric(appliedAt)).toBe(startedAt);

  write('tributary.yaml', `${upstream}max_aliases: 1\n`);
  signal();

  await expect.poll(messages).toHaveLength(2);
  expect(messages()[1]).toBe('Settings reloaded: MAX_ALIASES.');
  expect(await ask(twoAliases)).toBe('QUERY_TOO_COMPLEX');
  expect([await metric(reloads, 'rejected'), await metric(reloads, 'applied')]).toEqual([1, 1]);
  expect(await metric(appliedAt)).toBeGreaterThan(startedAt);
  expect((await running.stop()).code).toBe(0);
});

test('what the command requires is required of a reload', async () => {
  const { write, messages, signal } = await start({ 'tributary.yaml': upstream });

  write('tributary.yaml', 'max_cost: 10\n');
  signal();

  await expect
    .poll(messages)
    .toEqual([
      'The settings were not reloaded, nothing is changed. BUSINESS_URL or MANAGEMENT_URL is required by `serve`.',
    ]);
});

const environmentUrl = { BUSINESS_URL: 'http://127.0.0.1:9' };
const isEmptied = (name: string) =>
  `${name} had settings and is empty or missing now. Write new ones to another file and rename it to ${name}; to go without it, restart.`;

test.for([
  ['tributary.yaml', 'is emptied', 'max_aliases: 1\n', isEmptied('tributary.yaml')],
  ['tributary.yaml', 'is removed', 'max_aliases: 1\n', isEmptied('tributary.yaml')],
  [
    'tributary.yaml',
    'is a link to nothing',
    'max_aliases: 1\n',
    'tributary.yaml cannot be read: the file that it links to does not exist. Make it a readable file of settings, or remove it.',
  ],
  ['.env', 'is emptied', 'MAX_ALIASES=1\n', isEmptied('.env')],
] as const)('when %s %s, the limits that it had stay', async ([name, what, content, message]) => {
  const { folder, write, messages, signal, ask } = await start({ [name]: content }, environmentUrl);

  if (what === 'is emptied') write(name, '# none\n');
  else rmSync(join(folder, name));
  if (what === 'is a link to nothing') symlinkSync('gone.yaml', join(folder, name));
  signal();

  await expect.poll(messages).toEqual([`The settings were not reloaded, nothing is changed. ${message}`]);
  expect(await ask(twoAliases)).toBe('QUERY_TOO_COMPLEX');

  if (what === 'is a link to nothing') rmSync(join(folder, name));
  write(name, content.replace('1', '2'));
  signal();

  await expect.poll(() => messages().at(-1)).toBe('Settings reloaded: MAX_ALIASES.');
  expect(await ask(twoAliases)).toBe('OK');
});

test('a burst of signals leads to a few reloads, and the last settings apply', async () => {
  const { running, write, messages, signal, metric } = await start({ 'tributary.yaml': upstream });

  write('tributary.yaml', `${upstream}max_aliases: 2\n`);
  // One after another without a pause: they come faster than settings can be read.
  for (let count = 0; count < 300; count += 1) signal();
  write('tributary.yaml', `${upstream}max_aliases: 1\nmax_depth: 9\n`);
  signal();

  await expect.poll(() => messages().join(' ')).toMatch('MAX_DEPTH');
  expect(await metric(reloads)).toBeLessThan(20);
  await running.stop();
  expect(messages().length).toBeLessThan(20);
});

test.each(['serve', 'dev'])('a signal while %s starts leads to a reload after the start', async (command) => {
  const folder = mkdtempSync(join(tmpdir(), 'reload-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'tributary.yaml');
  execFileSync('mkfifo', [file]);
  const environment = { BUSINESS_URL: 'http://127.0.0.1:9', PORT: '0', SANDBOX_PORT: '0' };
  const running = startProcess(process.execPath, [resolve('dist/main.js'), command], environment, folder);

  // A pipe that nobody reads yet cannot be opened for writing.
  const readFile = await vi.waitFor(() => openSync(file, constants.O_WRONLY | constants.O_NONBLOCK), 60_000);
  rmSync(file);
  writeFileSync(file, 'max_aliases: 1\n');
  process.kill(running.pid, 'SIGHUP');
  writeSync(readFile, 'max_aliases: 2\n');
  closeSync(readFile);

  await running.printed(/graph.*Settings reloaded: MAX_ALIASES\./is);
  expect((await running.stop()).code).toBe(0);
});

test('settings that need a restart are named, and the others apply', async () => {
  const { write, messages, signal, ask } = await start({ 'tributary.yaml': upstream });

  write(
    'tributary.yaml',
    'business_url: http://127.0.0.1:10\nmax_aliases: 1\ncors_origins: http://x.example\n',
  );
  signal();

  await expect
    .poll(messages)
    .toEqual(['Settings reloaded: MAX_ALIASES. Takes effect after a restart: BUSINESS_URL, CORS_ORIGINS.']);
  expect(await ask(twoAliases)).toBe('QUERY_TOO_COMPLEX');
});

test('.env is read again, and the environment still comes before it', async () => {
  const { write, messages, signal } = await start(
    { '.env': 'BUSINESS_URL=http://127.0.0.1:9\nMAX_COST=10\nMAX_DEPTH=10\nMAX_TOKENS=10\n' },
    { MAX_COST: '20' },
  );

  write('.env', 'BUSINESS_URL=http://127.0.0.1:9\nMAX_COST=11\nMAX_DEPTH=11\n');
  signal();

  await expect.poll(messages).toEqual(['Settings reloaded: MAX_TOKENS, MAX_DEPTH.']);
});

test('a secret is named and never shown', async () => {
  const { running, write, messages, signal } = await start({
    'tributary.yaml': `${upstream}business: { auth: on-behalf-of, token_url: http://127.0.0.1:9, client_id: id, client_secret: canary-one }\n`,
  });

  write(
    'tributary.yaml',
    `${upstream}business: { auth: on-behalf-of, token_url: http://127.0.0.1:9, client_id: id, client_secret: canary-two }\n`,
  );
  signal();

  await expect.poll(messages).toEqual(['Settings reloaded: BUSINESS_CLIENT_SECRET.']);
  const { stdout, stderr } = await running.stop();
  expect(stdout + stderr).not.toContain('canary');
});

test('a running request keeps the limits that it began with', async () => {
  const name = 'n'.repeat(2_000);
  let answer = () => {};
  const stub = await startStub(async () => {
    await new Promise<void>((go) => {
      answer = go;
    });
    return { body: { value: [{ id: '0e0f0986-928f-40d7-8834-d1910255a423', name }] } };
  });
  onTestFinished(() => stub.stop());
  const settings = `business_url: ${stub.url}\n`;
  const { write, messages, signal, ask } = await start({ 'tributary.yaml': settings });
  const query = '{ companies { nodes { name } } }';

  const running = ask(query);
  await expect.poll(() => stub.requests).toHaveLength(1);
  write('tributary.yaml', `${settings}max_answer_bytes: 1024\n`);
  signal();
  await expect.poll(messages).toEqual(['Settings reloaded: MAX_ANSWER_BYTES.']);
  answer();
  const next = ask(`${query} `);
  await expect.poll(() => stub.requests).toHaveLength(2);
  answer();

  expect([await running, await next]).toEqual(['OK', 'QUERY_TOO_COMPLEX']);
});

test('dev reloads, too, beside its sandbox', async () => {
  const { write, messages, signal, ask } = await start({}, { SANDBOX_PORT: '0' }, 'dev');

  write('tributary.yaml', 'max_aliases: 1\n');
  signal();

  await expect.poll(messages).toEqual(['Settings reloaded: MAX_ALIASES.']);
  expect(await ask(twoAliases)).toBe('QUERY_TOO_COMPLEX');
});

test('a record file that a start would refuse is refused', async () => {
  const { write, messages, signal } = await start({ 'tributary.yaml': upstream });

  write('tributary.yaml', `${upstream}record_types: [./missing.json]\n`);
  signal();

  await expect
    .poll(messages)
    .toEqual([expect.stringMatching(/nothing is changed\. RECORD_TYPES: .*missing/)]);
});
