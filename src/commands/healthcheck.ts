import type { Config } from '../config/config.ts';
import { ConfigError, invalidSetting } from '../config/config-error.ts';
import { loadConfig } from './load-settings.ts';

const healthcheckTimeoutMs = 3_000;

export const runHealthcheck = async (): Promise<void> => checkHealth(await loadConfig());

/** Sends a liveness probe to a local server with the same settings. Rejects if it is not alive. */
export async function checkHealth({ HOST: host, ADMIN_PORT: port }: Config): Promise<void> {
  if (port === 'off') {
    throw new ConfigError([invalidSetting('ADMIN_PORT', port, 'a port, which `healthcheck` needs')]);
  }
  const url = `http://${getReachableHost(host)}:${port}/livez`;
  const { status } = await fetch(url, { signal: AbortSignal.timeout(healthcheckTimeoutMs) }).catch(
    (error: Error) => {
      throw new Error(
        `No response from ${url}: ${(error.cause as Error | undefined)?.message ?? error.message}.`,
      );
    },
  );
  if (status !== 200) throw new Error(`${url} responded with ${status}.`);
}

/** The host to connect to if a server listens on `host`. */
function getReachableHost(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
