import { ConfigError } from '../config/config-error.ts';

export type Stop = () => Promise<unknown>;

/** Runs a command. The function it returns is called on the first signal; the second signal exits at once. */
export async function runCommand(command: () => Promise<Stop | undefined>): Promise<void> {
  try {
    const stop = await command();
    if (!stop) return;
    let isStopping = false;
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
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
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
    // Exits even if a failed start has left something listening.
    process.exit();
  }
}

function explainError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message, port, syscall } = error as NodeJS.ErrnoException & { port?: number };
  if (code === 'EADDRINUSE')
    return `Port ${port} is in use. Set PORT or --port (graph), ADMIN_PORT (probes) or SANDBOX_PORT (sandbox) to another port, or to 0 for a free one.`;
  if (code === 'EACCES' && syscall === 'listen')
    return `This process may not listen on port ${port}. Set PORT or --port (graph) or ADMIN_PORT (probes) to 1024 or more.`;
  if (code === 'EADDRNOTAVAIL' || (code === 'ENOTFOUND' && syscall === 'getaddrinfo'))
    return `This machine has no such address to listen on (${message}). Set HOST (graph) or ADMIN_HOST (probes) to one of its own, such as 127.0.0.1, or to 0.0.0.0 for all.`;
  return message;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
