import type { Sandbox } from '#sandbox';
import { createLogger } from '../app/log.ts';
import { createReadableStream } from '../app/readable-log.ts';
import type { Config } from '../config/config.ts';
import { firstQuery } from '../server/pages/examples.ts';
import type { PagesOptions } from '../server/pages/pages.ts';
import type { Server } from '../server/server.ts';
import { requireDevSettings } from './command-settings.ts';
import { loadConfig, type SettingFlags } from './load-settings.ts';
import { createPagesOptions, sandboxToken } from './pages-options.ts';
import { print, type Stop } from './run-command.ts';
import { requireSandbox, startLocalSandbox } from './sandbox.ts';

export async function runDev(flags: SettingFlags): Promise<Stop> {
  const config = await loadConfig(flags);
  const isNeeded = config.BUSINESS_URL === undefined || config.MANAGEMENT_URL === undefined;
  if (isNeeded) requireSandbox();
  requireDevSettings(config);
  const sandbox = isNeeded ? await startLocalSandbox(config) : null;
  const { startTributary } = await import('../app/compose.ts');
  const pages = createPagesOptions(config, sandbox, 'on');
  const server = await startTributary(
    withSandboxUrls(config, sandbox),
    pages,
    createDevLogger(config),
    'dev',
  );
  const isAllLocal = config.BUSINESS_URL === undefined && config.MANAGEMENT_URL === undefined;
  print(formatWelcome(server, pages, sandbox?.url ?? null, isAllLocal));
  return async () => {
    await server.stop();
    await sandbox?.stop();
  };
}

const createDevLogger = (config: Config) =>
  createLogger(config, process.stdout.isTTY ? createReadableStream(print) : undefined);

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
