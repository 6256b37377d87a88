import { z } from 'zod';

const wholeNumber = (expected: string, min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/, expected)
    .transform(Number)
    .refine((value) => value >= min && value <= max, expected);

const port = () => wholeNumber('a port, 0 to 65535', 0, 65_535);
const milliseconds = (max: number) => wholeNumber(`milliseconds, 1 to ${max}`, 1, max);
const redisUrl = () =>
  z.string().refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    return url !== null && /^rediss?:$/.test(url.protocol) && url.hostname !== '';
  }, 'a redis or rediss address');
const name = () => z.string().regex(/^[\w-]+(\.[\w-]+)*$/, 'letters, digits, hyphens and single dots');

const baseUrl = () =>
  z.string().refine((text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    return (
      url !== null &&
      /^https?:$/.test(url.protocol) &&
      !url.username &&
      !url.password &&
      !url.search &&
      !url.hash
    );
  }, 'an http or https address without user, query or fragment');

const isLoopback = ({ hostname }: URL) => /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
/** An address that secrets go to, or that strangers are given. */
const secureUrl = () =>
  baseUrl().refine(
    (text) => !URL.canParse(text) || new URL(text).protocol === 'https:' || isLoopback(new URL(text)),
    'an https address; http only on this machine',
  );

/** Every setting: its rule, its default and, as description, what it means. README's table is tested against it. */
export const environment = z.object({
  PORT: port().default(4000).describe('Where the graph is served: `/graphql`, and the explorer at `/`.'),
  HOST: z
    .string()
    .min(1, 'a host name or address')
    .default('127.0.0.1')
    .describe('The address to listen on.'),
  BUSINESS_URL: baseUrl()
    .optional()
    .describe('`{base_url}` of area A; `/api/v2.0` and `/api/v1.0` are appended.'),
  BUSINESS_DIALECT: z
    .enum(['document', 'dynamics'], { error: '`document` or `dynamics`' })
    .default('document')
    .describe(
      'How the upstream of area A speaks: `document` as its document writes it, `dynamics` as the real service does.',
    ),
  BUSINESS_ITEM_V1: z
    .enum(['on', 'off'], { error: '`on` or `off`' })
    .default('on')
    .describe('Whether items can be read in the v1.0 shape: `off` where the upstream no longer has it.'),
  BUSINESS_CHOSEN_IDS: z
    .enum(['auto', 'off'], { error: '`auto` or `off`' })
    .default('auto')
    .describe(
      'Whether a create may be sent again under the id it was given: `auto` where the upstream is proven to keep ids, `off` never.',
    ),
  BUSINESS_COMPANY_ID: z
    .guid('a GUID')
    .transform((id) => id.toLowerCase())
    .optional()
    .describe('The company used where a query or change names none.'),
  MANAGEMENT_URL: baseUrl().optional().describe('`{management_url}` of areas B and C.'),
  MANAGEMENT_TOKEN_HEADER: name()
    .transform((header) => header.toLowerCase())
    .default('authorization')
    .describe(
      "The header that carries the caller's token for areas B and C, where it is not the one for A; over WebSocket it is `managementAuthorization`.",
    ),
  INSTANCES_NAMESPACE: name().default('Vendor.Workloads').describe('`{provider_namespace}` of area B.'),
  INSTANCES_SEGMENT: name()
    .default('virtualInstances')
    .describe('The path segment before a virtual instance.'),
  INSTANCES_API_VERSION: name().default('2023-04-01').describe('`api-version` of area B.'),
  HEALTH_NAMESPACE: name().default('Vendor.Health').describe('`{health_provider_namespace}` of area C.'),
  HEALTH_API_VERSION: name().default('2025-05-01').describe('`api-version` of area C.'),
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
  REQUEST_TIMEOUT_MS: milliseconds(600_000)
    .default(30_000)
    .describe('How long one read from an upstream may take.'),
  WRITE_TIMEOUT_MS: milliseconds(600_000)
    .default(60_000)
    .describe('How long one write to an upstream may take: cut short, its outcome is unknown.'),
  MAX_RESPONSE_BYTES: wholeNumber('a number of bytes, 1024 or more', 1024, 2 ** 40)
    .default(32 * 1024 * 1024)
    .describe('How much of one upstream answer is read.'),
  UPSTREAM_CONNECTIONS: wholeNumber('1 to 1000', 1, 1000)
    .default(64)
    .describe('How many connections are kept to each upstream.'),
  OPERATION_POLL_MS: milliseconds(30_000)
    .default(2_000)
    .describe('The first pause between two looks at a running operation, where the upstream asks for none.'),
  POLL_RECORDS_MS: milliseconds(3_600_000)
    .default(30_000)
    .describe(
      'How long to wait between two looks at what has changed among business records that are watched.',
    ),
  WEBHOOK_URL: secureUrl()
    .optional()
    .describe(
      'Where the upstream of area A reaches this layer: it is asked to send changes of watched records to `/webhooks/records` below it. Takes the `BUSINESS_` settings that follow; without it changes are polled.',
    ),
  BUSINESS_TOKEN_URL: secureUrl()
    .optional()
    .describe(
      "Where the layer gets a token of its own for area A (OAuth 2.0, client credentials), for webhooks only: records are read with the caller's.",
    ),
  BUSINESS_CLIENT_ID: z.string().optional().describe('Who the layer is there.'),
  BUSINESS_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('Its secret. `BUSINESS_CLIENT_SECRET_FILE` names a file that holds it.'),
  BUSINESS_SCOPE: z
    .string()
    .optional()
    .describe('What the token is for, where the place that gives it asks.'),
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
    .describe('After how many uses a document is compiled; `never` interprets all.'),
  EXPLORER: z
    .enum(['on', 'off'], { error: '`on` or `off`' })
    .optional()
    .describe('Whether `/` serves the explorer: on in `dev`, off in `serve` when not set.'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'], {
      error: '`fatal`, `error`, `warn`, `info`, `debug` or `silent`',
    })
    .default('warn')
    .describe('How much is logged, as JSON lines on standard output.'),
  SANDBOX_PORT: port().default(4100).describe('Where `dev` and `sandbox` serve the sandbox.'),
});

export type Config = z.output<typeof environment>;

/** A mistake in the settings: which variable, what it holds and what it may hold. */
export interface ConfigMistake {
  readonly variable: string;
  /** The value as given; null for secrets and for what is not set. */
  readonly value: string | null;
  readonly expected: string;
}

/** All mistakes in the settings at once, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly mistakes: readonly ConfigMistake[];

  constructor(mistakes: readonly ConfigMistake[]) {
    super(mistakes.map(describeMistake).join('\n'));
    this.mistakes = mistakes;
  }
}

function describeMistake({ variable, value, expected }: ConfigMistake): string {
  return `${variable}${value === null ? '' : ` is ${JSON.stringify(value)}`}: expected ${expected}`;
}

const secrets = new Set(['OPERATION_SECRETS', 'REDIS_URL', 'BUSINESS_CLIENT_SECRET']);

// Webhooks that silently were none would be missed by nobody for long.
const ofWebhooks = ['BUSINESS_TOKEN_URL', 'BUSINESS_CLIENT_ID', 'BUSINESS_CLIENT_SECRET'] as const;

/**
 * The settings in an environment. An empty variable counts as not set; `NAME_FILE` gives the file a secret is
 * read from. Throws `ConfigError` with every mistake.
 */
export function readConfig(
  env: Readonly<Record<string, string | undefined>>,
  readFile: (path: string) => string,
): Config {
  const given: Record<string, string> = {};
  const mistakes: ConfigMistake[] = [];
  for (const name of Object.keys(environment.shape)) {
    const path = secrets.has(name) ? env[`${name}_FILE`] : undefined;
    try {
      const value = path ? readFile(path).trim() : env[name];
      if (value) given[name] = value;
    } catch {
      mistakes.push({ variable: `${name}_FILE`, value: path ?? null, expected: 'a file that can be read' });
    }
  }
  const result = environment.safeParse(given);
  for (const issue of result.error?.issues ?? []) {
    const variable = String(issue.path[0]);
    const value = secrets.has(variable) ? null : (given[variable]?.replace(/\/\/[^/]*@/, '//…@') ?? null);
    mistakes.push({ variable, value, expected: issue.message });
  }
  for (const variable of given.WEBHOOK_URL === undefined ? [] : ofWebhooks) {
    if (given[variable] === undefined && !mistakes.some((mistake) => mistake.variable === `${variable}_FILE`))
      mistakes.push({ variable, value: null, expected: 'a value, as WEBHOOK_URL has one' });
  }
  if (mistakes.length > 0 || !result.data) throw new ConfigError(mistakes);
  return result.data;
}
