import { z } from 'zod';
import {
  count,
  documentManifest,
  host,
  milliseconds,
  oneOfWords,
  onOrOff,
  origins,
  port,
  portOrOff,
  redisUrl,
  secureUrl,
} from './setting-types.ts';

/** Listening and draining. */
export const serverSettings = {
  PORT: port()
    .default(4000)
    .describe('Port of the graph at `/graphql`, the explorer at `/` and the console at `/console`.'),
  HOST: host()
    .default('127.0.0.1')
    .describe('Address to listen on.')
    .meta({ examples: ['0.0.0.0'] }),
  ADMIN_PORT: portOrOff()
    .default(4001)
    .describe(
      'Port of `/livez`, `/readyz` and `/metrics` for probes and monitoring. `off` disables the port and metrics.',
    ),
  ADMIN_HOST: host().default('127.0.0.1').describe('Address that the admin port listens on.'),
  DRAIN_DELAY_MS: milliseconds(300_000, 0)
    .default(0)
    .describe('How long requests are still accepted after SIGTERM, while `/readyz` reports unready.'),
  DRAIN_TIMEOUT_MS: milliseconds(3_600_000)
    .default(25_000)
    .describe('How long requests in flight may take after `DRAIN_DELAY_MS`. Then they are cut off.'),
};

/** Documents and responses. */
export const documentSettings = {
  INTROSPECTION: onOrOff()
    .optional()
    .describe(
      'Schema introspection on every transport, and suggestions of names in error messages. Default: on in `dev`, off in `serve`.',
    ),
  TRUSTED_DOCUMENTS: oneOfWords('off', 'prefer', 'require')
    .default('off')
    .describe(
      'Trusted documents, requested by id. `prefer`: allow and log unknown documents. `require`: reject them.',
    ),
  TRUSTED_DOCUMENTS_MANIFEST: documentManifest()
    .optional()
    .describe('File with the trusted documents, as the client preset of GraphQL Code Generator writes it.')
    .meta({ examples: ['/etc/tributary/documents.json'] }),

  MAX_COST: count(2 ** 40)
    .default(50_000)
    .describe(
      'Maximum number of upstream rows that one operation may request. Rows count at every place of the response.',
    ),
};

/** Load limits. */
export const loadSettings = {
  MAX_REQUESTS: count(100_000)
    .default(200)
    .describe('Maximum number of concurrent requests. More are rejected with 503 and `Retry-After`.'),
  MAX_REQUESTS_PER_CALLER: count(100_000)
    .optional()
    .describe(
      'Maximum number of concurrent requests of one caller. Default: a quarter of `MAX_REQUESTS`. Set it to `MAX_REQUESTS` if a gateway sends the requests of all callers. More than `MAX_REQUESTS` is no limit. A request counts one more for each 1,000 upstream rows it requests.',
    ),
  MAX_REQUESTS_PER_SECOND: count(1_000_000)
    .optional()
    .describe(
      'Maximum number of requests per second of one caller. More are rejected with 429 and `Retry-After`. With `REDIS_URL` the limit covers all replicas. Default: no limit.',
    ),
};

/** Origins, WebSockets and event streams. */
export const subscriberSettings = {
  CORS_ORIGINS: origins()
    .default([])
    .describe(
      "Origins whose pages may use the graph, comma-separated. The server's own origin is always allowed.",
    )
    .meta({ examples: ['https://app.example.com,https://admin.example.com'] }),
};

/** Replicas and polling. */
export const replicaSettings = {
  OPERATION_SECRETS: z
    .string()
    .transform((text) => text.split(',').map((secret) => secret.trim()))
    .refine(
      (secrets) => secrets.every((secret) => secret.length >= 16),
      'secrets of at least 16 characters, comma-separated',
    )
    .optional()
    .describe(
      'Keys of handles and cursors, comma-separated, the same on all replicas. The first seals, all open. Default: random at each start.',
    )
    .meta({ examples: ['new-secret-of-32-characters,old-secret-of-32-characters'] }),
  REDIS_URL: redisUrl()
    .optional()
    .describe('Redis that connects replicas: one replica polls an operation for all.')
    .meta({ examples: ['rediss://:password@redis.example:6379'] }),
};

/** Files of records. */
export const recordFileSettings = {
  PUBLIC_URL: secureUrl()
    .optional()
    .describe('Public URL of this server. Addresses of files begin with it; without it they are relative.')
    .meta({ examples: ['https://graph.example.com'] }),
};

/** Pages, compilation, logging and the sandbox. */
export const processSettings = {
  EXPLORER: onOrOff().optional().describe('Explorer at `/`. Default: on in `dev`, off in `serve`.'),
  CONSOLE: onOrOff()
    .optional()
    .describe('Operations console at `/console`. Default: on in `dev`, off in `serve`.'),
  LOG_LEVEL: oneOfWords('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .default('warn')
    .describe('Log level. Logs are JSON lines on standard output, readable ones for `dev` on a terminal.'),
  SANDBOX_PORT: port().default(4100).describe('Port of the sandbox in `dev` and `sandbox`.'),
};
