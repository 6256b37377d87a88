import { z } from 'zod';
import {
  count,
  documents,
  milliseconds,
  oneOf,
  onOrOff,
  origins,
  port,
  portOrOff,
  redisUrl,
  wholeNumber,
} from './kinds.ts';

/** Where and how the graph is served. */
export const serverSettings = {
  PORT: port()
    .default(4000)
    .describe('Where the graph is served: `/graphql`, the explorer at `/`, the console at `/console`.'),
  HOST: z
    .string()
    .min(1, 'a host name or address')
    .default('127.0.0.1')
    .describe('The address to listen on.'),
  ADMIN_PORT: portOrOff()
    .default(4001)
    .describe(
      'Where operators and their probes ask: `/livez`, `/readyz`, which says whether requests should come, and `/metrics`. `off` serves none of them, and nothing is counted.',
    ),
  ADMIN_HOST: z
    .string()
    .min(1, 'a host name or address')
    .default('127.0.0.1')
    .describe('The address to listen on for that.'),
  DRAIN_DELAY_MS: milliseconds(300_000, 0)
    .default(0)
    .describe(
      'How long requests are still taken after SIGTERM, while `/readyz` says that no more should come.',
    ),
  DRAIN_TIMEOUT_MS: milliseconds(3_600_000)
    .default(25_000)
    .describe('How long what is in flight may take after that; then it is cut off.'),
};

/** What keeps a deployment standing under whatever is sent to it. */
export const guardSettings = {
  INTROSPECTION: onOrOff()
    .optional()
    .describe(
      'Whether the schema can be asked for, on every transport: on in `dev`, off in `serve` when not set.',
    ),
  TRUSTED_DOCUMENTS: oneOf('off', 'prefer', 'require')
    .default('off')
    .describe(
      'Documents that are known beforehand and asked for by id: `prefer` takes others, too, and logs them, `require` does not.',
    ),
  TRUSTED_DOCUMENTS_MANIFEST: documents()
    .optional()
    .describe('The file that holds them, as the client preset of GraphQL Code Generator writes it.'),
  MAX_TOKENS: count(100_000).default(2_000).describe('How many tokens of GraphQL a document may have.'),
  MAX_DEPTH: count(100).default(12).describe('How deeply its fields may be nested, fragments written out.'),
  MAX_ALIASES: count(10_000).default(30).describe('How many aliases a document may have.'),
  MAX_DIRECTIVES: count(10_000).default(50).describe('How many directives a document may have.'),
  MAX_COST: wholeNumber('1 or more', 1, 2 ** 40)
    .default(50_000)
    .describe('How many upstream rows one operation may ask for, counted wherever they stand in its answer.'),
  MAX_ANSWER_BYTES: wholeNumber('a number of bytes, 1024 to 33554432', 1024, 32 * 1024 * 1024)
    .default(2 * 1024 * 1024)
    .describe('How long the answer to one operation may be, in bytes; a longer one is QUERY_TOO_COMPLEX.'),
  MAX_REQUESTS: count(100_000)
    .default(200)
    .describe('How many requests are worked on at once; more are refused with 503 and `Retry-After`.'),
  MAX_REQUESTS_PER_CALLER: count(100_000)
    .optional()
    .describe(
      'How many of them one caller may have: a quarter of `MAX_REQUESTS` when not set. Set it to `MAX_REQUESTS` where a gateway sends the requests of all callers. A request counts one more for each 1,000 upstream rows it asks for.',
    ),
  MAX_REQUESTS_PER_SECOND: count(1_000_000)
    .optional()
    .describe(
      'How many requests a second one caller may send; more are refused with 429 and `Retry-After`. With `REDIS_URL` all replicas count together. No limit when not set.',
    ),
  MAX_LOOP_DELAY_MS: milliseconds(3_600_000)
    .default(250)
    .describe('How late the event loop may be for a second; requests are refused while it is later.'),
  CORS_ORIGINS: origins()
    .default([])
    .describe('Origins whose pages may use the graph, by comma; this layer’s own always may.'),
  MAX_SOCKETS: count(1_000_000)
    .default(10_000)
    .describe('How many WebSockets and event streams may be open at once.'),
  MAX_SOCKETS_PER_CALLER: count(1_000_000).default(200).describe('How many of them one caller may have.'),
  MAX_SUBSCRIPTIONS: count(10_000).default(50).describe('How many subscriptions may run on one WebSocket.'),
};

/** What is left: replicas, speed, the pages, the log. */
export const operationSettings = {
  OPERATION_SECRETS: z
    .string()
    .transform((text) => text.split(',').map((secret) => secret.trim()))
    .refine(
      (secrets) => secrets.every((secret) => secret.length >= 16),
      'secrets of 16 characters or more, by comma',
    )
    .optional()
    .describe(
      'Keys of handles and cursors, the same on all replicas, separated by commas: the first seals, all open. Random at each start when not set. `OPERATION_SECRETS_FILE` names a file that holds them.',
    ),
  OPERATION_POLL_MS: milliseconds(30_000)
    .default(2_000)
    .describe('The first pause between two looks at a running operation, where the upstream asks for none.'),
  POLL_RECORDS_MS: milliseconds(3_600_000)
    .default(30_000)
    .describe(
      'How long to wait between two looks at what has changed among business records that are watched.',
    ),
  POLL_HEALTH_MS: milliseconds(3_600_000)
    .default(30_000)
    .describe('How long to wait between two looks at a health event that is watched.'),
  REDIS_URL: redisUrl()
    .optional()
    .describe(
      'Where replicas meet: one of them polls an operation, all tell its progress. `REDIS_URL_FILE` names a file that holds it.',
    ),
  COMPILE_AFTER: z
    .union([wholeNumber('a number of uses, or `never`', 0, 1_000_000), z.literal('never')], {
      error: 'a number of uses, or `never`',
    })
    .default(1)
    .describe(
      'After how many uses an operation is compiled to JavaScript; `never` interprets all, and generates no code.',
    ),
  EXPLORER: onOrOff()
    .optional()
    .describe('Whether `/` serves the explorer: on in `dev`, off in `serve` when not set.'),
  CONSOLE: onOrOff()
    .optional()
    .describe('Whether `/console` serves the operations console: on in `dev`, off in `serve` when not set.'),
  LOG_LEVEL: oneOf('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .default('warn')
    .describe('How much is logged, as JSON lines on standard output.'),
  SANDBOX_PORT: port().default(4100).describe('Where `dev` and `sandbox` serve the sandbox.'),
};
