#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import { type Config, ConfigError, readConfig } from './config.ts';
import { checkHealth } from './healthcheck.ts';
import { createLog } from './log.ts';
import type { Sandbox } from './sandbox/sandbox.ts';
import { sandboxCompanyId, sandboxExamples } from './sandbox/seed/seed.ts';
import { createExamples, firstQuery } from './server/examples.ts';
import type { Server } from './server/http.ts';
import type { PagesOptions } from './server/pages.ts';
import { type SignIn, signInBelow } from './server/sign-in.ts';

// Garbage may lie until there is a fifth of what is in use; by itself V8 waits until there is four times as much.
setFlagsFromString('--heap-growing-percent=20');
// What was long-lived once, in a slow moment, would be made among the old things for good.
setFlagsFromString('--no-allocation-site-pretenuring');
// On a single core, who marks garbage beside the work takes the core from it for 20 ms at a time.
if (availableParallelism() === 1) setFlagsFromString('--no-concurrent-marking');

const sandboxToken = 'sandbox';
// An operation has five steps: time enough to copy its id and still see it run.
const operationStepMs = 2_000;

// Each command loads what it takes: a health check runs twice a minute.
const program = new Command('tributary')
  .description('One GraphQL graph over business records, instance control and service health events.')
  .version(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version)
  .addHelpText(
    'after',
    '\nSettings are environment variables; README.md lists them. A file .env is read by dev.',
  );

program
  .command('dev')
  .description('serve the graph, with the sandbox in place of every upstream that has no address')
  .action(() => run(dev));
program
  .command('serve')
  .description('serve the graph over the configured upstreams, without a sandbox')
  .action(() => run(serve));
program
  .command('sandbox')
  .description('serve the sandbox alone')
  .action(() => run(sandbox));
program
  .command('check')
  .description('say what is wrong with the settings: 0 is nothing, 2 is something')
  .action(() => run(async () => void say(settings() && 'The settings are good.')));
program
  .command('healthcheck')
  .description('ask a process of the same settings on this machine whether it is alive: 0 is yes, 1 is no')
  .action(() => run(async () => void (await checkHealth(settings()))));
program
  .command('schema')
  .description('print the schema as SDL')
  .option('--subgraph', 'as routers compose it, with its keys')
  .action(({ subgraph }) =>
    run(async () => {
      const { clientSdl, subgraphSdl } = await import('./sdl.ts');
      say(subgraph ? subgraphSdl() : clientSdl());
      return undefined;
    }),
  );

await program.parseAsync();

type Stop = () => Promise<unknown>;

async function dev(): Promise<Stop> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = settings();
  if (!['127.0.0.1', 'localhost', '::1'].includes(config.HOST)) {
    const expected = 'a loopback address: `dev` has open doors. Use `serve` for others.';
    throw new ConfigError([{ variable: 'HOST', value: config.HOST, expected }]);
  }
  const isNeeded = config.BUSINESS_URL === undefined || config.MANAGEMENT_URL === undefined;
  const local = isNeeded ? await startSandbox(config) : null;
  const { startLayer } = await import('./layer.ts');
  const pages = pagesOf(config, local, 'on');
  const layer = await startLayer(onSandbox(config, local), pages, createLog(config), 'dev');
  const isAllLocal = config.BUSINESS_URL === undefined && config.MANAGEMENT_URL === undefined;
  say(welcome(layer, pages, local?.url ?? null, isAllLocal));
  return async () => {
    await layer.stop();
    await local?.stop();
  };
}

async function serve(): Promise<Stop> {
  const given = settings();
  const config: Config = { ...given, INTROSPECTION: given.INTROSPECTION ?? 'off' };
  if (config.BUSINESS_URL === undefined && config.MANAGEMENT_URL === undefined) {
    const expected = 'the address of at least one upstream, here or in MANAGEMENT_URL';
    throw new ConfigError([{ variable: 'BUSINESS_URL', value: null, expected }]);
  }
  const log = createLog(config);
  if (config.OPERATION_SECRETS === undefined) {
    log.warn('OPERATION_SECRETS is not set: handles and cursors end with this process and hold on no other.');
  }
  const { startLayer } = await import('./layer.ts');
  const layer = await startLayer(config, pagesOf(config, null, 'off'), log);
  say(
    [
      `The graph is at ${layer.url}/graphql`,
      ...(layer.adminUrl ? [`Probes ask at ${layer.adminUrl}/readyz`] : []),
    ].join('\n'),
  );
  return () => layer.stop();
}

async function sandbox(): Promise<Stop> {
  const local = await startSandbox(settings());
  say(`The sandbox is at ${local.url}/sandbox\nBUSINESS_URL=${local.url} MANAGEMENT_URL=${local.url}`);
  return () => local.stop();
}

function settings(): Config {
  return readConfig(process.env, (path) => readFileSync(path, 'utf8'));
}

// The sandbox speaks as the layer is told that its upstream does.
async function startSandbox({ SANDBOX_PORT: port, BUSINESS_DIALECT: dialect, BUSINESS_ITEM_V1 }: Config) {
  const { startSandbox: start } = await import('./sandbox/sandbox.ts');
  return start({ port, stepMs: operationStepMs, dialect, itemV1: BUSINESS_ITEM_V1 === 'on' });
}

function onSandbox(config: Config, local: Sandbox | null): Config {
  if (local === null) return config;
  return {
    ...config,
    BUSINESS_URL: config.BUSINESS_URL ?? local.url,
    MANAGEMENT_URL: config.MANAGEMENT_URL ?? local.url,
    BUSINESS_COMPANY_ID:
      config.BUSINESS_COMPANY_ID ?? (config.BUSINESS_URL === undefined ? sandboxCompanyId : undefined),
  };
}

function pagesOf(config: Config, local: Sandbox | null, unlessSet: 'on' | 'off'): PagesOptions {
  const signIn = signInOf(config);
  const isServed = (setting: 'EXPLORER' | 'CONSOLE') => (config[setting] ?? unlessSet) === 'on';
  const hasRecords = local !== null && config.BUSINESS_URL === undefined;
  const hasInstances = local !== null && config.MANAGEMENT_URL === undefined;
  const { instance, ...records } = sandboxExamples;
  const ids = hasRecords ? records : { customerId: null, itemId: null };
  const companyId = config.BUSINESS_COMPANY_ID ?? null;
  return {
    examples: isServed('EXPLORER') ? createExamples({ companyId, ...ids }) : null,
    console: isServed('CONSOLE') ? { instance: hasInstances ? instance : null } : null,
    // With one real upstream the sandbox's token would go there, too.
    token: hasRecords && hasInstances && signIn === null ? sandboxToken : null,
    signIn,
  };
}

function signInOf({ AUTH_URL: url, AUTH_CLIENT_ID: clientId, AUTH_SCOPE: scope }: Config): SignIn | null {
  return url && clientId ? { ...signInBelow(url), clientId, scope } : null;
}

function welcome(
  { url, adminUrl }: Server,
  pages: PagesOptions,
  sandboxUrl: string | null,
  isAllLocal: boolean,
): string {
  const lines = [`Graph     ${url}/graphql`];
  if (pages.examples !== null) lines.push(`Explorer  ${url}/`);
  if (pages.console !== null) lines.push(`Console   ${url}/console`);
  if (adminUrl !== null) lines.push(`Probes    ${adminUrl}/readyz`);
  if (sandboxUrl !== null) lines.push(`Sandbox   ${sandboxUrl}/sandbox`);
  // The query to paste carries the sandbox's token, which is no business of a real upstream.
  if (!isAllLocal) return lines.join('\n');
  const body = JSON.stringify({ query: firstQuery });
  return [
    ...lines,
    '',
    'Try it:',
    '',
    `curl ${url}/graphql -H 'content-type: application/json' -H 'authorization: Bearer ${sandboxToken}' \\`,
    `  -d '${body}'`,
  ].join('\n');
}

/** Runs a command. What it returns stops it, once, on the first signal; the second signal does not wait. */
async function run(command: () => Promise<Stop | undefined>): Promise<void> {
  try {
    const stop = await command();
    if (!stop) return;
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.on(signal, () => {
        if (isStopping) process.exit(1);
        isStopping = true;
        stop().then(
          () => process.exit(0),
          (error) => {
            process.stderr.write(`${explain(error)}\n`);
            process.exit(1);
          },
        );
      });
    }
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
    // A failed start may leave something listening.
    process.exit();
  }
}

function explain(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== 'EADDRINUSE') return message;
  return `Port ${port} is taken. Set PORT (graph), ADMIN_PORT (probes) or SANDBOX_PORT (sandbox) to another, or 0 for any free one.`;
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
