import type { Sandbox } from '#sandbox';
import { createLogger } from '../app/log.ts';
import { openLogOutput } from '../app/log-output.ts';
import { createReadableStream } from '../app/readable-log.ts';
import type { Config } from '../config/config.ts';
import { firstQuery } from '../server/pages/examples.ts';
import type { PagesOptions } from '../server/pages/pages.ts';
import type { Server } from '../server/server.ts';
import { needsSandbox, requireDevSettings } from './command-settings.ts';
import { loadSettings, type SettingFlags } from './load-settings.ts';
import { createPagesOptions, sandboxToken } from './pages-options.ts';
import { namePorts } from './port-errors.ts';
import { print, stopOnSignals } from './run-command.ts';
import { requireSandbox, startLocalSandbox } from './sandbox.ts';

export async function runDev(flags: SettingFlags): Promise<void> {
  const { config } = await loadSettings(flags, requireDevSettings);
  const isNeeded = needsSandbox(config);
  if (isNeeded) requireSandbox();
  const sandbox = isNeeded ? await startLocalSandbox(config) : null;
  const { startTributary } = await import('../app/compose.ts');
  const pages = createPagesOptions(config, sandbox, 'on');
  const log = createDevLogger(config);
  const configured = withSandboxUrls(config, sandbox);
  const server = await startTributary(configured, pages, log, 'dev').catch(namePorts(config));
  const isAllLocal = config.BUSINESS_URL === undefined && config.MANAGEMENT_URL === undefined;
  stopOnSignals(async () => {
    await server.stop();
    await sandbox?.stop();
  });
  const acceptsAnyDocument = config.TRUSTED_DOCUMENTS !== 'require';
  print(formatWelcome(server, pages, sandbox?.url ?? null, { isAllLocal, acceptsAnyDocument }));
}

const createDevLogger = (config: Config) =>
  createLogger(config, process.stdout.isTTY ? createReadableStream(print) : openLogOutput());

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
  { isAllLocal, acceptsAnyDocument }: { readonly isAllLocal: boolean; readonly acceptsAnyDocument: boolean },
): string {
  const lines = [`Graph     ${url}/graphql`];
  if (pages.examples !== null) lines.push(`Explorer  ${url}/`);
  if (pages.console !== null) lines.push(`Console   ${url}/console`);
  if (adminUrl !== null) lines.push(`Probes    ${adminUrl}/readyz`);
  if (sandboxUrl !== null) lines.push(`Sandbox   ${sandboxUrl}/sandbox`);
  if (!acceptsAnyDocument)
    return [
      ...lines,
      '',
      'Only trusted documents are executed (TRUSTED_DOCUMENTS=require): those of explorer and console, too, need a place in the manifest.',
    ].join('\n');
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
