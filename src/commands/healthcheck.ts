import { checkHealth } from '../app/healthcheck.ts';
import { loadConfig } from './load-settings.ts';

/** Rejects where the local server with these settings is not alive. */
export async function runHealthcheck(): Promise<undefined> {
  await checkHealth(await loadConfig());
}
