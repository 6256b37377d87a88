import { createServer, type Server } from 'node:net';
import type { Config } from '../../config/config.ts';

export interface PortCheck {
  readonly setting: 'PORT' | 'ADMIN_PORT';
  readonly address: string;
  /** Why a server could not listen there, and what to do; null if it could. */
  readonly fault: string | null;
}

/** Tries to listen on the ports of the settings, all at once: they must differ, too. */
export async function checkPorts(config: Config): Promise<readonly PortCheck[]> {
  const wanted = [
    { setting: 'PORT', port: config.PORT },
    { setting: 'ADMIN_PORT', port: config.ADMIN_PORT },
  ] as const;
  const { HOST: host } = config;
  const opened: Server[] = [];
  const checks: PortCheck[] = [];
  for (const { setting, port } of wanted) {
    if (port === 'off') continue;
    const server = createServer();
    const code = await listen(server, host, port);
    if (code === null) opened.push(server);
    checks.push({
      setting,
      address: `${host.includes(':') ? `[${host}]` : host}:${port}`,
      fault: code === null ? null : explainFault(code, setting),
    });
  }
  await Promise.all(opened.map((server) => new Promise((resolve) => server.close(resolve))));
  return checks;
}

/** The code of the error; null where the server listens. */
const listen = (server: Server, host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    server.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'unknown'));
    server.listen({ host, port, exclusive: true }, () => resolve(null));
  });

function explainFault(code: string, setting: PortCheck['setting']): string {
  switch (code) {
    case 'EADDRINUSE':
      return `is in use, perhaps by a server that runs with these settings. Otherwise set ${setting} to another port`;
    case 'EACCES':
      return `may not be listened on. Set ${setting} to 1024 or more`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `is no address of this machine. Set HOST to one, or to 0.0.0.0 for all`;
    default:
      return `cannot be listened on (${code}). Check HOST and ${setting}`;
  }
}
