import type { DestinationStream } from 'pino';

interface LogLine {
  readonly level: string;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
  readonly [field: string]: unknown;
}

// The same in each line of a process.
const fieldsOfProcess = new Set(['level', 'time', 'msg', 'pid', 'hostname']);

/** Rewrites the JSON lines of the log for a terminal: `12:30:05 WARN  message field=value`, then the stack of an error. */
export const createReadableStream = (write: (text: string) => void): DestinationStream => ({
  write: (line) => write(formatLogLine(JSON.parse(line) as LogLine)),
});

function formatLogLine({ err, ...line }: LogLine): string {
  const time = new Date(line.time).toTimeString().slice(0, 8);
  const fields = Object.entries(line)
    .filter(([name]) => !fieldsOfProcess.has(name))
    .map(
      ([name, value]) => ` ${name}=${typeof value === 'string' ? toPlainText(value) : JSON.stringify(value)}`,
    );
  const stack = err?.stack?.split('\n').map((part) => `\n  ${toPlainText(part)}`) ?? [];
  const head = `${time} ${line.level.toUpperCase().padEnd(5)} ${toPlainText(line.msg ?? '')}`;
  return head + fields.join('') + stack.join('');
}

/** What an upstream sent must not control the terminal. */
const toPlainText = (text: string) => text.replace(/\p{Cc}/gu, ' ');
