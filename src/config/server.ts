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
  wholeNumber,
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
  MCP: oneOfWords('off', 'on', 'ad-hoc')
    .default('off')
    .describe(
      'Model Context Protocol for agents at `/mcp`. `on`: each trusted document is a tool. `ad-hoc`: queries of the agent too, even where TRUSTED_DOCUMENTS is `require`. Outside `dev`, callers must be verified, and `BUSINESS_AUTH` and `MANAGEMENT_AUTH` must not be `forward`.',
    ),

  MAX_TOKENS: count(100_000).default(2_000).describe('Maximum number of GraphQL tokens in a document.'),
  MAX_DEPTH: count(100)
    .default(12)
    .describe('Maximum nesting depth of fields in a document, fragments expanded.'),
  MAX_ALIASES: count(10_000).default(30).describe('Maximum number of aliases in a document.'),
  MAX_DIRECTIVES: count(10_000).default(50).describe('Maximum number of directives in a document.'),
  MAX_COST: count(2 ** 40)
    .default(50_000)
    .describe(
      'Maximum number of upstream rows that one operation may request. Rows count at every place of the response.',
    ),
  MAX_ANSWER_BYTES: wholeNumber('bytes', 1024, 32 * 1024 * 1024)
    .default(4 * 1024 * 1024)
    .describe('Maximum size of one response, in bytes. A larger one is QUERY_TOO_COMPLEX.'),
  RESPONSE_COMPRESSION: onOrOff()
    .default('on')
    .describe(
      'Whether responses of 4 KB and more are compressed (zstd, br, gzip) for clients that accept it. Set `off` where a proxy compresses.',
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
  MAX_LOOP_DELAY_MS: milliseconds(3_600_000)
    .default(250)
    .describe(
      'Maximum event-loop delay, sustained for a second. Requests are rejected while it is exceeded.',
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
  MAX_SOCKETS: count(1_000_000)
    .default(10_000)
    .describe('Maximum number of open WebSockets and event streams.'),
  MAX_SOCKETS_PER_CALLER: count(1_000_000)
    .default(200)
    .describe('Maximum number of open WebSockets and event streams of one caller.'),
  MAX_SUBSCRIPTIONS: count(10_000).default(50).describe('Maximum number of subscriptions on one WebSocket.'),
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
  OPERATION_POLL_MS: milliseconds(30_000)
    .default(2_000)
    .describe('First polling interval of a running operation, unless the upstream sends `Retry-After`.'),
  POLL_RECORDS_MS: milliseconds(3_600_000)
    .default(30_000)
    .describe('Polling interval for changes of watched business records.'),
  POLL_HEALTH_MS: milliseconds(3_600_000)
    .default(30_000)
    .describe('Polling interval of watched health events, and of watched lists of them.'),
};

/** Files of records. */
export const recordFileSettings = {
  PUBLIC_URL: secureUrl()
    .optional()
    .describe('Public URL of this server. Addresses of files begin with it; without it they are relative.')
    .meta({ examples: ['https://graph.example.com'] }),
  FILE_URL_SECONDS: wholeNumber('seconds', 1, 86_400)
    .default(300)
    .describe('How long the address of a file works.'),
  FILE_UPLOAD_MAX_BYTES: wholeNumber('bytes', 1, 1_000_000_000)
    .default(10_000_000)
    .describe('Longest file that can be uploaded, in bytes.'),
};

/** Pages, compilation, logging and the sandbox. */
export const processSettings = {
  COMPILE_AFTER: z
    .union([wholeNumber('uses', 0, 1_000_000), z.literal('never')], {
      error: 'a number of uses, 0 to 1000000, or `never`',
    })
    .default(1)
    .describe(
      'Number of uses after which an operation is compiled to JavaScript. `never`: interpret all operations and generate no code.',
    ),
  EXPLORER: onOrOff().optional().describe('Explorer at `/`. Default: on in `dev`, off in `serve`.'),
  CONSOLE: onOrOff()
    .optional()
    .describe('Operations console at `/console`. Default: on in `dev`, off in `serve`.'),
  LOG_LEVEL: oneOfWords('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .default('warn')
    .describe('Log level. Logs are JSON lines on standard output, readable ones for `dev` on a terminal.'),
  SANDBOX_PORT: port().default(4100).describe('Port of the sandbox in `dev` and `sandbox`.'),
};
