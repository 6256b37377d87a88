import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from './config.ts';

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

/** The log of the process: JSON lines, on standard output unless said otherwise. */
export function createLog({ LOG_LEVEL: level }: Pick<Config, 'LOG_LEVEL'>, to?: DestinationStream): Logger {
  return to ? pino({ level, redact }, to) : pino({ level, redact });
}
