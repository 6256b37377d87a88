import { createLogger, logAddresses } from '../app/log.ts';
import { requireServeSettings } from './command-settings.ts';
import { loadConfig, type SettingFlags } from './load-settings.ts';
import { createPagesOptions } from './pages-options.ts';
import type { Stop } from './run-command.ts';

export async function runServe(flags: SettingFlags): Promise<Stop> {
  const config = requireServeSettings(await loadConfig(flags));
  const log = createLogger(config);
  if (config.OPERATION_SECRETS === undefined) {
    log.warn('OPERATION_SECRETS is not set: handles and cursors are valid in this process only.');
  }
  const { startTributary } = await import('../app/compose.ts');
  const server = await startTributary(config, createPagesOptions(config, null, 'off'), log);
  logAddresses(log, server);
  return () => server.stop();
}
