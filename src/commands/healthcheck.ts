import { checkHealth } from '../app/healthcheck.ts';
import { loadConfig, type SettingFlags } from './load-settings.ts';

/** Rejects where the local server with these settings is not alive. */
export async function runHealthcheck(flags: SettingFlags): Promise<void> {
  await checkHealth(await loadConfig(flags));
}
