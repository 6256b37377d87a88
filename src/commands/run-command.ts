import { ConfigError } from '../config/config-error.ts';

/** Runs a command. */
export async function runCommand(command: () => Promise<void>): Promise<void> {
  handleOutputErrors();
  try {
    await command();
  } catch (error) {
    process.stderr.write(`${explainError(error)}\n`);
    process.exitCode = error instanceof ConfigError ? 2 : 1;
    // Exits even if a failed start has left something listening.
    process.exit();
  }
}

/**
 * Calls a function on the first signal to end; the second one exits at once. To be called before anyone is told that the
 * server listens.
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

/** A reader that has seen enough is no error. A server goes on without its output. */
function handleOutputErrors(): void {
  let isTold = false;
  process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
    if (code === 'EPIPE' || isTold) return;
    isTold = true;
    process.exitCode = 1;
    process.stderr.write(`Standard output cannot be written (${message}).\n`);
  });
}

function explainError(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  const { code, message, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRNOTAVAIL' || (code === 'ENOTFOUND' && syscall === 'getaddrinfo'))
    return `This machine has no such address to listen on (${message}). Set HOST (graph) or ADMIN_HOST (probes) to one of its own, such as 127.0.0.1, or to 0.0.0.0 for all.`;
  return message;
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
