import { createLogger, logAddresses, openLogOutput } from '../app/log.ts';
import { listWarnings } from '../config/warnings.ts';
import { loadSettings, requireServeSettings, type SettingFlags } from './load-settings.ts';
import { createPagesOptions } from './pages-options.ts';
import { namePorts, stopOnSignals } from './run-command.ts';

export async function runServe(flags: SettingFlags): Promise<void> {
  const { config } = await loadSettings(flags, requireServeSettings);
  const log = createLogger(config, openLogOutput());
  for (const warning of listWarnings(config)) log.warn(warning);
  const { startTributary } = await import('../app/compose.ts');
  const pages = createPagesOptions(config, null, 'off');
  const server = await startTributary(config, pages, log).catch(namePorts(config));
  stopOnSignals(() => server.stop());
  logAddresses(log, server);
}
