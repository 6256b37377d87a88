import { type DestinationStream, type Logger, type LoggerOptions, pino, stdSerializers } from 'pino';
import type { Config } from './config.ts';
import { withoutTokenShapes } from './upstream/token-shapes.ts';

// Nothing of this is ever logged on purpose. An error may carry it along.
const secrets = [
  'authorization',
  'cookie',
  'token',
  'access_token',
  'client_secret',
  'client_assertion',
  'assertion',
  'variables',
];
const redact = secrets.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]);

// What they say may quote what others have sent.
const serializers = {
  err: (error: Error) =>
    Object.fromEntries(
      Object.entries(stdSerializers.err(error)).map(([name, value]) => [name, quoting(value)]),
    ),
  reason: quoting,
};

function quoting(value: unknown): unknown {
  return typeof value === 'string' ? withoutTokenShapes(value) : value;
}

const hooks: NonNullable<LoggerOptions['hooks']> = {
  // Without a message of its own a line would repeat the error's as it is.
  logMethod(args, method) {
    const [told, ...rest] = args as unknown[];
    const { err } = (told ?? {}) as { readonly err?: unknown };
    const message = rest.length === 0 && err instanceof Error ? [withoutTokenShapes(err.message)] : rest;
    method.apply(this, [told, ...message] as Parameters<typeof method>);
  },
};

/** The log of the process: JSON lines, on standard output unless said otherwise. */
export function createLog({ LOG_LEVEL: level }: Pick<Config, 'LOG_LEVEL'>, to?: DestinationStream): Logger {
  const options = { level, redact, serializers, hooks };
  return to ? pino(options, to) : pino(options);
}
