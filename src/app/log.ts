import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { Config } from '../config/config.ts';
import { redactTokenPatterns } from '../http/redaction.ts';
import type { Server } from '../server/server.ts';

// Tributary does not log these fields, but the properties of an error may include them.
const redactedFields = [
  'authorization',
  'cookie',
  'token',
  'access_token',
  'client_secret',
  'client_assertion',
  'assertion',
  'variables',
];
const redact = redactedFields.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

// Messages of errors may quote input.
const serializers = {
  err: (error: Error) =>
    Object.fromEntries(
      Object.entries(stdSerializers.err(error)).map(([name, value]) => [name, redactTokens(value)]),
    ),
  reason: redactTokens,
};

function redactTokens(value: unknown): unknown {
  return typeof value === 'string' ? redactTokenPatterns(value) : value;
}

const hooks: NonNullable<LoggerOptions['hooks']> = {
  // Without a message, pino would log that of the error unredacted.
  logMethod(args, method) {
    const [fields, ...rest] = args as unknown[];
    const { err } = (fields ?? {}) as { readonly err?: unknown };
    const message = rest.length === 0 && err instanceof Error ? [redactTokenPatterns(err.message)] : rest;
    method.apply(this, [fields, ...message] as Parameters<typeof method>);
  },
};

// Logs the names of levels instead of pino's numbers, as Kubernetes, Loki and journald expect.
const formatters: NonNullable<LoggerOptions['formatters']> = { level: (level) => ({ level }) };

/** Creates the logger, which writes JSON lines. */
export function createLogger(
  { LOG_LEVEL: level = 'warn' }: Pick<Config, 'LOG_LEVEL'>,
  destination: DestinationStream,
): Logger {
  return pino({ level, redact, serializers, hooks, formatters }, destination);
}

/** Logs the addresses of a server, at every level except `silent`. */
export function logAddresses(log: Logger, { url, adminUrl }: Pick<Server, 'url' | 'adminUrl'>): void {
  const probes = adminUrl === null ? '' : `, probes are at ${adminUrl}/readyz`;
  if (log.level !== 'silent')
    log.child({}, { level: 'info' }).info(`The graph is at ${url}/graphql${probes}`);
}

// The limit of lines that cannot be written yet. Further lines are dropped.
const maxPendingBytes = 16 * 1024 * 1024;

/**
 * Opens standard output for the log. If a write fails, for example because the disk is full, the server continues: lines are
 * buffered, and each new line retries. One line on standard error reports the failure.
 */
export function openLogOutput(): DestinationStream {
  const output = pino.destination({ dest: 1, sync: false, maxLength: maxPendingBytes });
  const { flushSync } = output;
  let isFailing = false;
  output.on('error', ({ message }) => {
    if (isFailing) return;
    isFailing = true;
    // Otherwise pino would retry forever at exit.
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

interface LogLine {
  readonly level: string;
  readonly time: number;
  readonly msg?: string;
  readonly err?: { readonly stack?: string };
  readonly [field: string]: unknown;
}

// Fields of every line.
const commonFields = new Set(['level', 'time', 'msg', 'pid', 'hostname']);

/**
 * Converts the JSON lines of the log to readable ones: a short line for a request, otherwise
 * `12:30:05 WARN  message field=value`, followed by the stack of an error.
 */
export const createReadableStream = (write: (text: string) => void): DestinationStream => ({
  write: (line) => write(formatLogLine(JSON.parse(line) as LogLine)),
});

function formatLogLine({ err, ...line }: LogLine): string {
  const time = new Date(line.time).toTimeString().slice(0, 8);
  if (line.msg === 'operation' || line.msg === 'refused') return `${time} ${formatRequest(line)}`;
  const fields = Object.entries(line)
    .filter(([name]) => !commonFields.has(name))
    .map(
      ([name, value]) => ` ${name}=${typeof value === 'string' ? toPlainText(value) : JSON.stringify(value)}`,
    );
  const stack = err?.stack?.split('\n').map((part) => `\n  ${toPlainText(part)}`) ?? [];
  const head = `${time} ${line.level.toUpperCase().padEnd(5)} ${toPlainText(line.msg ?? '')}`;
  return head + fields.join('') + stack.join('');
}

/** `mutation AddItem REFUSED 12 ms, 2 calls: The upstream refused this change: …` */
function formatRequest({ kind = 'request', name, code, ms, calls, reason }: Omit<LogLine, 'err'>): string {
  // Calls are counted at level `info` only.
  const callCount = calls === undefined ? '' : `, ${calls} ${calls === 1 ? 'call' : 'calls'}`;
  const head = [kind, name, code, ms !== undefined && `${ms} ms${callCount}`];
  const suffix = reason === undefined ? '' : `: ${reason}`;
  return toPlainText(head.filter(Boolean).join(' ') + suffix);
}

/** Removes control characters, so that texts of an upstream cannot control the terminal. */
const toPlainText = (text: string) => text.replace(/\p{Cc}/gu, ' ');
