import type { Config } from '../config/config.ts';
import { ConfigError, invalidSetting } from '../config/config-error.ts';

/** Runs a command, reports its error, and sets the exit code. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  handleOutputErrors();
  try {
    await command();
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
    // Exits even if a failed start has left a listening server.
    process.exit();
  }
}

/**
 * Calls `stop` on the first SIGINT or SIGTERM; a second signal exits at once. Register it before printing that the server
 * listens.
 */
export function stopOnSignals(stop: () => Promise<unknown>): void {
  let isStopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => {
      if (isStopping) process.exit(1);
      isStopping = true;
      stop().then(
        () => process.exit(0),
        (error) => {
          process.stderr.write(`${explainError(error)}\n`);
          process.exit(1);
        },
      );
    });
}

/** Keeps the process alive if standard output fails. A closed pipe (EPIPE) is no error. */
function handleOutputErrors(): void {
  let isReported = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isReported) return;
    isReported = true;
    process.exitCode = 1;
    process.stderr.write(`Standard output cannot be written (${message}).\n`);
  });
}

function explainError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRNOTAVAIL' || (code === 'ENOTFOUND' && syscall === 'getaddrinfo'))
    return `This machine has no such address to listen on (${message}). Set HOST to one of its own, such as 127.0.0.1, or to 0.0.0.0 for all.`;
  return message;
}

/** Parses the number of a command-line option. */
export function readNumber(flag: string, given: string, max: number): number {
  if (/^\d{1,5}$/.test(given) && Number(given) <= max) return Number(given);
  throw new ConfigError([invalidSetting(flag, given, `a whole number, 0 to ${max}`)]);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

type Ports = Readonly<Record<string, number | 'off'>>;

/** Returns a handler that explains why a server cannot listen, and names the setting of `ports` to change. */
export const namePort =
  (ports: Ports) =>
  (error: unknown): never => {
    const { code, port, syscall } = error as NodeJS.ErrnoException & { readonly port?: number };
    const settings = Object.entries(ports).filter(([, given]) => given === port);
    const setting = settings.map(([name]) => name).join(' or ');
    if (setting === '' || syscall !== 'listen') throw error;
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${port} is in use. Set ${setting} to another port, or to 0 for a free one.`);
    if (code === 'EACCES')
      throw new Error(`This process may not listen on port ${port}. Set ${setting} to 1024 or more.`);
    throw error;
  };

/** `namePort` for the ports of the graph and of probes. */
export const namePorts = ({ PORT, ADMIN_PORT }: Config) => namePort({ 'PORT or --port': PORT, ADMIN_PORT });
