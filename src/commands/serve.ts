import { createLogger } from '../app/log.ts';
import type { Config } from '../config/config.ts';
import { ConfigError, missingSetting } from '../config/config-error.ts';
import { requireSafeMcp } from '../config/mcp-requirements.ts';
import { createPagesOptions } from './pages-options.ts';
import { loadConfig, print, type Stop } from './run-command.ts';

export async function runServe(): Promise<Stop> {
  const given = loadConfig();
  const config: Config = { ...given, INTROSPECTION: given.INTROSPECTION ?? 'off' };
  if (config.BUSINESS_URL === undefined && config.MANAGEMENT_URL === undefined) {
    throw new ConfigError([missingSetting('BUSINESS_URL or MANAGEMENT_URL', 'by `serve`')]);
  }
  requireSafeMcp(config);
  const log = createLogger(config);
  if (config.OPERATION_SECRETS === undefined) {
    log.warn('OPERATION_SECRETS is not set: handles and cursors are valid in this process only.');
  }
  const { startTributary } = await import('../app/compose.ts');
  const server = await startTributary(config, createPagesOptions(config, null, 'off'), log);
  print(
    [
      `The graph is at ${server.url}/graphql`,
      ...(server.adminUrl ? [`Probes are at ${server.adminUrl}/readyz`] : []),
    ].join('\n'),
  );
  return () => server.stop();
}
