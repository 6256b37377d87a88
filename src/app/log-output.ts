import { type DestinationStream, pino } from 'pino';

// Of lines that cannot be written yet. Further ones are dropped.
const maxPendingBytes = 16 * 1024 * 1024;

/**
 * Standard output for the lines of the log. While it cannot be written, as on a full disk, the server goes on: the lines wait,
 * and each further one tries again. One line on standard error says so.
 */
export function openLogOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, maxLength: maxPendingBytes });
  const { flushSync } = output;
  let isFailing = false;
  output.on('error', ({ message }) => {
    if (isFailing) return;
    isFailing = true;
    // At the end of the process it would retry for ever.
    output.flushSync = () => {};
    output.once('write', () => {
      isFailing = false;
      output.flushSync = flushSync;
    });
    process.stderr.write(
      `The log cannot be written to standard output (${message}). Lines wait until it can be, up to 16 MiB.\n`,
    );
  });
  return output;
}
