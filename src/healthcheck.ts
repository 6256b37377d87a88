import { type Config, ConfigError } from './config.ts';

const timeoutMs = 3_000;

/**
 * Asks a process of these settings on this machine whether it is alive, as an orchestrator's probe would. Rejects with
 * what is wrong where it is not, and with a `ConfigError` where it has no port for that.
 */
export async function checkHealth({ ADMIN_HOST: host, ADMIN_PORT: port }: Config): Promise<void> {
  if (port === 'off') {
    const expected = 'a port, 0 to 65535: that is where the health of a process is asked';
    throw new ConfigError([{ variable: 'ADMIN_PORT', value: port, expected }]);
  }
  const url = `http://${reachable(host)}:${port}/livez`;
  const { status } = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: Error) => {
    throw new Error(
      `Nothing answers at ${url}: ${(error.cause as Error | undefined)?.message ?? error.message}.`,
    );
  });
  if (status !== 200) throw new Error(`${url} answers ${status}.`);
}

/** An address to ask a server at that listens on this one. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
