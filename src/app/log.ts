import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { Config } from '../config/config.ts';
import { redactTokenPatterns } from '../http/redaction.ts';
import type { Server } from '../server/server.ts';

// None of these is logged on purpose, but an error may contain them.
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

// Error texts may quote input.
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
  // A line without a message would use the error's, unredacted.
  logMethod(args, method) {
    const [fields, ...rest] = args as unknown[];
    const { err } = (fields ?? {}) as { readonly err?: unknown };
    const message = rest.length === 0 && err instanceof Error ? [redactTokenPatterns(err.message)] : rest;
    method.apply(this, [fields, ...message] as Parameters<typeof method>);
  },
};

// Names, as Kubernetes, Loki and journald show them, instead of pino's numbers.
const formatters: NonNullable<LoggerOptions['formatters']> = { level: (level) => ({ level }) };

/** Creates the logger: JSON lines to `to`. */
export function createLogger({ LOG_LEVEL: level }: Pick<Config, 'LOG_LEVEL'>, to: DestinationStream): Logger {
  return pino({ level, redact, serializers, hooks, formatters }, to);
}

/** Logs where a server listens, at every level but `silent`. */
export function logAddresses(log: Logger, { url, adminUrl }: Pick<Server, 'url' | 'adminUrl'>): void {
  const probes = adminUrl === null ? '' : `, probes are at ${adminUrl}/readyz`;
  if (log.level !== 'silent')
    log.child({}, { level: 'info' }).info(`The graph is at ${url}/graphql${probes}`);
}
