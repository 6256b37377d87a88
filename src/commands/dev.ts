import { existsSync, readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import type { Sandbox } from '#sandbox';
import { createLogger } from '../app/log.ts';
import { type Config, requireSettings } from '../config/config.ts';
import { ConfigError, invalidSetting } from '../config/config-error.ts';
import { firstQuery } from '../server/pages/examples.ts';
import type { PagesOptions } from '../server/pages/pages.ts';
import type { Server } from '../server/server.ts';
import { createPagesOptions, sandboxToken } from './pages-options.ts';
import { loadConfig, print, type Stop } from './run-command.ts';
import { requireSandbox, startLocalSandbox } from './sandbox.ts';

export async function runDev(): Promise<Stop> {
  if (existsSync('.env')) {
    requireSettings(Object.keys(parseEnv(readFileSync('.env', 'utf8'))));
    process.loadEnvFile('.env');
  }
  const config = loadConfig();
  const isNeeded = config.BUSINESS_URL === undefined || config.MANAGEMENT_URL === undefined;
  if (isNeeded) requireSandbox();
  if (!['127.0.0.1', 'localhost', '::1'].includes(config.HOST)) {
    const expected =
      'a loopback address, because `dev` does not verify callers. Use `serve` for other addresses';
    throw new ConfigError([invalidSetting('HOST', config.HOST, expected)]);
  }
  const sandbox = isNeeded ? await startLocalSandbox(config) : null;
  const { startTributary } = await import('../app/compose.ts');
  const pages = createPagesOptions(config, sandbox, 'on');
  const server = await startTributary(withSandboxUrls(config, sandbox), pages, createLogger(config), 'dev');
  const isAllLocal = config.BUSINESS_URL === undefined && config.MANAGEMENT_URL === undefined;
  print(formatWelcome(server, pages, sandbox?.url ?? null, isAllLocal));
  return async () => {
    await server.stop();
    await sandbox?.stop();
  };
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
