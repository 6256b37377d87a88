import type { Sandbox } from '#sandbox';
import { createLogger, createReadableStream } from '../app/log.ts';
import type { Config } from '../config/config.ts';
import { firstQuery } from '../server/pages/examples.ts';
import type { PagesOptions } from '../server/pages/pages.ts';
import type { Server } from '../server/server.ts';
import { loadSettings, requireDevSettings, type SettingFlags } from './load-settings.ts';
import { createPagesOptions, sandboxToken } from './pages-options.ts';
import { namePorts, print, stopOnSignals } from './run-command.ts';
import { sandboxPort, startLocalSandbox } from './sandbox.ts';

export async function runDev(flags: SettingFlags): Promise<void> {
  const { config } = await loadSettings(flags, requireDevSettings);
  const needsSandbox = config.BUSINESS_URL === undefined || config.MANAGEMENT_URL === undefined;
  const sandbox = needsSandbox ? await startDevSandbox(config) : null;
  const { startTributary } = await import('../app/compose.ts');
  const pages = createPagesOptions(config, sandbox, 'on');
  const log = createLogger({ LOG_LEVEL: config.LOG_LEVEL ?? 'info' }, createReadableStream(print));
  const configured = withSandboxUrls(config, sandbox);
  const server = await startTributary(configured, pages, log, 'dev').catch(namePorts(config));
  stopOnSignals(async () => {
    await server.stop();
    await sandbox?.stop();
  });
  print(formatWelcome(server, pages, sandbox?.url ?? null, config));
}

/** Starts the sandbox on its usual port, or on a free port if that is in use or needed by the server. */
async function startDevSandbox(config: Config): Promise<Sandbox> {
  const isTaken = [config.PORT, config.ADMIN_PORT].includes(sandboxPort);
  return startLocalSandbox(config, isTaken ? 0 : sandboxPort).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EADDRINUSE') throw error;
    return startLocalSandbox(config, 0);
  });
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
  { BUSINESS_URL, MANAGEMENT_URL, TRUSTED_DOCUMENTS }: Config,
): string {
  const lines = [`Graph     ${url}/graphql`];
  if (pages.examples !== null) lines.push(`Explorer  ${url}/`);
  if (pages.console !== null) lines.push(`Console   ${url}/console`);
  if (adminUrl !== null) lines.push(`Probes    ${adminUrl}/readyz`);
  if (sandboxUrl !== null) lines.push(`Sandbox   ${sandboxUrl}/sandbox`);
  if (TRUSTED_DOCUMENTS !== undefined)
    return [
      ...lines,
      '',
      'Only trusted documents are executed (TRUSTED_DOCUMENTS): those of explorer and console, too, need a place in the manifest.',
    ].join('\n');
  // The example query contains the sandbox's token, which must not be sent to a real upstream.
  if (BUSINESS_URL !== undefined || MANAGEMENT_URL !== undefined) return lines.join('\n');
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
