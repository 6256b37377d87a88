#!/usr/bin/env node
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setFlagsFromString } from 'node:v8';
import { Command } from 'commander';
import type { Sandbox } from '#sandbox';
import { checkHealth } from './app/healthcheck.ts';
import { createLogger } from './app/log.ts';
import { type Config, readConfig } from './config/config.ts';
import { ConfigError, invalidSetting, missingSetting } from './config/config-error.ts';
import { version } from './runtime/version.ts';
import { createExamples, firstQuery } from './server/pages/examples.ts';
import type { PagesOptions } from './server/pages/pages.ts';
import { type SignIn, signInUrls } from './server/pages/sign-in.ts';
import type { Server } from './server/server.ts';

// Lets the heap grow by 20 % between major collections. V8's default lets it grow up to fourfold.
setFlagsFromString('--heap-growing-percent=20');
// Disables pretenuring. After a load spike, V8 would allocate short-lived objects in the old generation from then on.
setFlagsFromString('--no-allocation-site-pretenuring');
// On a single core, concurrent marking blocks the main thread for 20 ms at a time.
if (availableParallelism() === 1) setFlagsFromString('--no-concurrent-marking');

const sandboxToken = 'sandbox';
// An operation has five steps, so it runs long enough to copy its id and subscribe.
const operationStepMs = 2_000;

// Each command imports its modules lazily: a health check runs twice a minute and must be cheap.
const program = new Command('tributary')
  .description('One GraphQL graph over business records, instance control and service health events.')
  .version(version)
  .addHelpText(
    'after',
    '\nSettings are environment variables; README.md lists them. `dev` also reads a file .env.',
  );

program
  .command('dev')
  .description('serve the graph, with the sandbox for every upstream without a URL')
  .action(() => runCommand(runDev));
program
  .command('serve')
  .description('serve the graph with the configured upstreams')
  .action(() => runCommand(runServe));
program
  .command('sandbox')
  .description('serve the sandbox only')
  .action(() => runCommand(runSandbox));
program
  .command('check')
  .description('validate the settings; exits with 0 if they are valid, else with 2')
  .action(() => runCommand(async () => void print(loadConfig() && 'The settings are valid.')));
program
  .command('healthcheck')
  .description('check a local server with the same settings; exits with 0 if it is alive, else with 1')
  .action(() => runCommand(async () => void (await checkHealth(loadConfig()))));
program
  .command('schema')
  .description('print the schema as SDL')
  .option('--subgraph', 'print the federation subgraph')
  .option(
    '--policies',
    'with --subgraph: say by @authenticated and @requiresScopes what the settings require',
  )
  .action(({ subgraph, policies }) =>
    runCommand(async () => {
      const { clientSdl, subgraphSdl } = await import('./app/sdl.ts');
      print(subgraph ? subgraphSdl(policies ? loadConfig() : undefined) : clientSdl());
      return undefined;
    }),
  );

await program.parseAsync();

type Stop = () => Promise<unknown>;

async function runDev(): Promise<Stop> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  const config = loadConfig();
  const isNeeded = config.BUSINESS_URL === undefined || config.MANAGEMENT_URL === undefined;
  if (isNeeded) requireSandbox();
  if (!['127.0.0.1', 'localhost', '::1'].includes(config.HOST)) {
    const expected =
      'a loopback address, because `dev` does not verify callers. Use `serve` for other addresses';
    throw new ConfigError([invalidSetting('HOST', config.HOST, expected)]);
  }
  const sandbox = isNeeded ? await startLocalSandbox(config) : null;
  const { startTributary } = await import('./app/compose.ts');
  const pages = createPagesOptions(config, sandbox, 'on');
  const server = await startTributary(withSandboxUrls(config, sandbox), pages, createLogger(config), 'dev');
  const isAllLocal = config.BUSINESS_URL === undefined && config.MANAGEMENT_URL === undefined;
  print(formatWelcome(server, pages, sandbox?.url ?? null, isAllLocal));
  return async () => {
    await server.stop();
    await sandbox?.stop();
  };
}

async function runServe(): Promise<Stop> {
  const given = loadConfig();
  const config: Config = { ...given, INTROSPECTION: given.INTROSPECTION ?? 'off' };
  if (config.BUSINESS_URL === undefined && config.MANAGEMENT_URL === undefined) {
    throw new ConfigError([missingSetting('BUSINESS_URL or MANAGEMENT_URL', 'by `serve`')]);
  }
  const log = createLogger(config);
  if (config.OPERATION_SECRETS === undefined) {
    log.warn('OPERATION_SECRETS is not set: handles and cursors are valid in this process only.');
  }
  const { startTributary } = await import('./app/compose.ts');
  const server = await startTributary(config, createPagesOptions(config, null, 'off'), log);
  print(
    [
      `The graph is at ${server.url}/graphql`,
      ...(server.adminUrl ? [`Probes are at ${server.adminUrl}/readyz`] : []),
    ].join('\n'),
  );
  return () => server.stop();
}

async function runSandbox(): Promise<Stop> {
  const sandbox = await startLocalSandbox(loadConfig());
  print(
    `The sandbox is at ${sandbox.url}/sandbox\nBUSINESS_URL=${sandbox.url} MANAGEMENT_URL=${sandbox.url}`,
  );
  return () => sandbox.stop();
}

function loadConfig(): Config {
  return readConfig(process.env, (path) => readFileSync(path, 'utf8'));
}

// The sandbox uses the dialect that Tributary is configured for.
async function startLocalSandbox({
  SANDBOX_PORT: port,
  BUSINESS_DIALECT: dialect,
  BUSINESS_ITEM_V1,
}: Config) {
  requireSandbox();
  const { startSandbox: start } = await import('#sandbox');
  return start({ port, stepMs: operationStepMs, dialect, itemV1: BUSINESS_ITEM_V1 === 'on' });
}

/** Throws where the sandbox is not installed, as in the production image. */
function requireSandbox(): void {
  if (existsSync(new URL(import.meta.resolve('#sandbox')))) return;
  throw new Error(
    'The sandbox is not installed: the production image does not contain it. Use `serve` with BUSINESS_URL or MANAGEMENT_URL, or run this command in a clone of the repository.',
  );
}

function withSandboxUrls(config: Config, sandbox: Sandbox | null): Config {
  if (sandbox === null) return config;
  return {
    ...config,
    BUSINESS_URL: config.BUSINESS_URL ?? sandbox.url,
    MANAGEMENT_URL: config.MANAGEMENT_URL ?? sandbox.url,
    BUSINESS_COMPANY_ID:
      config.BUSINESS_COMPANY_ID ?? (config.BUSINESS_URL === undefined ? sandbox.companyId : undefined),
  };
}

function createPagesOptions(config: Config, sandbox: Sandbox | null, unlessSet: 'on' | 'off'): PagesOptions {
  const signIn = createSignIn(config);
  const isServed = (setting: 'EXPLORER' | 'CONSOLE') => (config[setting] ?? unlessSet) === 'on';
  const records = config.BUSINESS_URL === undefined ? sandbox?.examples : undefined;
  const instances = config.MANAGEMENT_URL === undefined ? sandbox?.examples : undefined;
  const { customerId, itemId } = records ?? { customerId: null, itemId: null };
  const companyId = config.BUSINESS_COMPANY_ID ?? null;
  return {
    examples: isServed('EXPLORER') ? createExamples({ companyId, customerId, itemId }) : null,
    console: isServed('CONSOLE') ? { instance: instances?.instance ?? null } : null,
    // With one real upstream, the sandbox's token would be sent to it as well.
    token: records && instances && signIn === null ? sandboxToken : null,
    signIn,
  };
}

function createSignIn({ AUTH_URL: url, AUTH_CLIENT_ID: clientId, AUTH_SCOPE: scope }: Config): SignIn | null {
  return url && clientId ? { ...signInUrls(url), clientId, scope } : null;
}

function formatWelcome(
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
  // The example query contains the sandbox's token, which must not be sent to a real upstream.
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

/** Runs a command. The function it returns is called on the first signal; the second signal exits at once. */
async function runCommand(command: () => Promise<Stop | undefined>): Promise<void> {
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
            process.stderr.write(`${explainError(error)}\n`);
            process.exit(1);
          },
        );
      });
    }
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
    // Exits even if a failed start has left something listening.
    process.exit();
  }
}

function explainError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message, port } = error as NodeJS.ErrnoException & { port?: number };
  if (code !== 'EADDRINUSE') return message;
  return `Port ${port} is in use. Set PORT (graph), ADMIN_PORT (probes) or SANDBOX_PORT (sandbox) to another port, or to 0 for a free one.`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
