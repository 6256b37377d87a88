import { z } from 'zod';
import {
  apiVersionOrOff,
  baseUrl,
  baseUrlWithQuery,
  coordinates,
  count,
  documentManifest,
  dottedName,
  healthProvider,
  host,
  instancesType,
  keyValuePairs,
  milliseconds,
  oneOfWords,
  onOrOff,
  origins,
  paths,
  plainText,
  port,
  portOrOff,
  proxyUrl,
  redisUrl,
  scopes,
  secureUrl,
  tokenHeader,
} from './setting-types.ts';

const serverSettings = {
  PORT: port()
    .default(4000)
    .describe('Port of the graph at `/graphql`, the explorer at `/` and the console at `/console`.'),
  HOST: host()
    .default('127.0.0.1')
    .describe('Address that both ports listen on.')
    .meta({ examples: ['0.0.0.0'] }),
  ADMIN_PORT: portOrOff()
    .default(4001)
    .describe('Port of `/livez`, `/readyz` and `/metrics`. `off` disables the port and metrics.'),
  PUBLIC_URL: secureUrl()
    .optional()
    .describe(
      'Public URL of this server. Addresses of files begin with it. With the credentials of `BUSINESS_TOKEN_URL`, area A posts changes to `/webhooks/records` below it; otherwise changes are polled.',
    )
    .meta({ examples: ['https://graph.example.com'] }),
  CORS_ORIGINS: origins()
    .default([])
    .describe("Origins whose pages may use the graph, besides the server's own.")
    .meta({ examples: ['https://app.example.com,https://admin.example.com'] }),
  DRAIN_DELAY_MS: milliseconds(300_000, 0)
    .default(0)
    .describe('How long requests are still accepted after SIGTERM.'),
  DRAIN_TIMEOUT_MS: milliseconds(3_600_000)
    .default(25_000)
    .describe('How long requests in flight may take after `DRAIN_DELAY_MS`.'),
};

const authMode = () => oneOfWords('forward', 'client-credentials', 'on-behalf-of').default('forward');

const businessSettings = {
  BUSINESS_URL: baseUrlWithQuery()
    .optional()
    .describe(
      '`{base_url}` of area A. `/api/v2.0` and the like are appended to its path; a query is added to every call.',
    )
    .meta({
      examples: [
        'https://business.example.com/v2.0/production',
        'https://business.example.com:7048/BC?tenant=default',
      ],
    }),
  BUSINESS_DIALECT: oneOfWords('document', 'dynamics')
    .default('document')
    .describe(
      'Dialect of area A: `document` as its documentation says, `dynamics` as the real service behaves.',
    ),
  BUSINESS_ITEM_V1: onOrOff().default('on').describe('Whether the upstream has items in the v1.0 shape.'),
  BUSINESS_COMPANY_ID: z
    .guid('a GUID')
    .transform((id) => id.toLowerCase())
    .optional()
    .describe('Company used when a query or mutation names none.')
    .meta({ examples: ['0e0f0986-928f-40d7-8834-d1910255a423'] }),
  RECORD_TYPES: paths()
    .default([])
    .describe('A folder or `.graphql` files that declare [further record types](record-types.md).')
    .meta({ examples: ['./records'] }),
  EXTENSIONS: z
    .string()
    .optional()
    .describe(
      'A folder of `.graphql` files and JavaScript modules that [add fields to the graph](extend.md#add-fields).',
    )
    .meta({ examples: ['./extension'] }),
  HIDDEN: coordinates()
    .default([])
    .describe('Types and fields that the graph does not have.')
    .meta({ examples: ['Customer.balanceDue,GeneralLedgerEntry'] }),
  BUSINESS_AUTH: authMode().describe(
    "Which token area A gets: the caller's, one of Tributary's own, or one obtained for the caller's ([security.md](security.md#tokens-sent-upstream)).",
  ),
  BUSINESS_TOKEN_URL: secureUrl()
    .optional()
    .describe(
      'OAuth 2.0 token endpoint for area A. Required by `client-credentials`, `on-behalf-of` and webhooks.',
    )
    .meta({ examples: ['https://login.example.com/tenant/oauth2/v2.0/token'] }),
  BUSINESS_CLIENT_ID: plainText().optional().describe('OAuth client ID.'),
  BUSINESS_CLIENT_SECRET: z.string().optional().describe('OAuth client secret.'),
  BUSINESS_SCOPE: plainText()
    .optional()
    .describe('OAuth scope, if the token endpoint requires one.')
    .meta({ examples: ['https://business.example.com/.default'] }),
};

const managementSettings = {
  MANAGEMENT_URL: baseUrl()
    .optional()
    .describe('`{management_url}` of areas B and C.')
    .meta({ examples: ['https://management.example.com'] }),
  MANAGEMENT_AUTH: authMode().describe('The same for areas B and C.'),
  MANAGEMENT_TOKEN_HEADER: tokenHeader()
    .transform((header) => header.toLowerCase())
    .default('authorization')
    .describe(
      "Header with the caller's token for areas B and C. [Over WebSocket](security.md#authentication) it is in `connection_init`.",
    )
    .meta({ examples: ['x-management-authorization'] }),
  MANAGEMENT_TOKEN_URL: secureUrl()
    .optional()
    .describe('OAuth 2.0 token endpoint for areas B and C.')
    .meta({ examples: ['https://login.example.com/tenant/oauth2/v2.0/token'] }),
  MANAGEMENT_CLIENT_ID: plainText().optional().describe('OAuth client ID.'),
  MANAGEMENT_CLIENT_SECRET: z.string().optional().describe('OAuth client secret.'),
  MANAGEMENT_SCOPE: plainText()
    .optional()
    .describe('OAuth scope, if the token endpoint requires one.')
    .meta({ examples: ['https://management.example.com/.default'] }),
  INSTANCES_TYPE: instancesType()
    .default('Vendor.Workloads/virtualInstances@2023-04-01')
    .describe(
      'Resource type of virtual instances: `{provider_namespace}` of area B, the path segment before their names, and the `api-version`.',
    ),
  HEALTH_PROVIDER: healthProvider()
    .default('Vendor.Health@2025-05-01')
    .describe('`{health_provider_namespace}` of area C, and its `api-version`.'),
  HEALTH_BILLING_OPERATION: dottedName()
    .optional()
    .describe(
      'Operation that returns the details of billing events, if it is a separate one. The real service has the example.',
    )
    .meta({ examples: ['fetchBillingCommunicationDetails'] }),
  SUBSCRIPTIONS_API_VERSION: apiVersionOrOff()
    .default('2022-12-01')
    .describe('`api-version` of `{management_url}/subscriptions`. `off`: the upstream has no such list.'),
};

const connectionSettings = {
  HTTPS_PROXY: proxyUrl()
    .optional()
    .describe(
      'Proxy to https upstreams, token endpoints and the JWKS URL. Never used for loopback addresses.',
    )
    .meta({ examples: ['http://user:password@proxy.example:3128'] }),
  HTTP_PROXY: proxyUrl()
    .optional()
    .describe('The same for http upstreams.')
    .meta({ examples: ['http://proxy.example:3128'] }),
  NO_PROXY: z
    .string()
    .optional()
    .describe(
      'Hosts that are reached without a proxy: `*`, names (with their subdomains), addresses and subnets.',
    )
    .meta({ examples: ['.internal.example,10.0.0.0/8,[fd00::1]:8443'] }),
  UPSTREAM_CLIENT_CERT_FILE: z
    .string()
    .regex(/-----BEGIN CERTIFICATE-----/, 'a file with a certificate in PEM')
    .optional()
    .describe('Client certificate for upstreams that ask for one, and its chain.')
    .meta({ examples: ['/run/secrets/client.crt'] }),
  UPSTREAM_CLIENT_KEY_FILE: z
    .string()
    .regex(/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/, 'a file with a private key in PEM')
    .optional()
    .describe('Private key of that certificate, not encrypted.')
    .meta({ examples: ['/run/secrets/client.key'] }),
};

const callerSettings = {
  JWT_ISSUER: plainText()
    .optional()
    .describe(
      "Issuer of callers' tokens (`iss`). With it, `JWT_AUDIENCE` and `JWT_JWKS_URL`, tokens are verified.",
    )
    .meta({ examples: ['https://login.example.com/tenant/v2.0'] }),
  JWT_AUDIENCE: plainText()
    .optional()
    .describe("Audience of callers' tokens (`aud`).")
    .meta({ examples: ['api://tributary'] }),
  JWT_JWKS_URL: secureUrl()
    .optional()
    .describe("JWKS URL with the keys that verify callers' tokens.")
    .meta({ examples: ['https://login.example.com/tenant/keys'] }),
  WRITE_SCOPES: scopes()
    .default([])
    .describe('Scopes a verified caller needs to change records, all of them.')
    .meta({ examples: ['records.write'] }),
  OPERATE_SCOPES: scopes()
    .default([])
    .describe('Scopes a verified caller needs to stop and start instances.')
    .meta({ examples: ['instances.operate'] }),
  MANAGEMENT_SCOPES: scopes(true)
    .default(['user_impersonation'])
    .describe(
      'Scopes a verified caller needs for areas B and C. Empty: none ([security.md](security.md#scopes)).',
    ),
};

const signInSettings = {
  AUTH_URL: secureUrl()
    .optional()
    .describe(
      '`{auth_url}`: authorization server for sign-in to the explorer and the console. `/common/oauth2/authorize` and `/common/oauth2/token` are appended; to a path, `/authorize` and `/token`.',
    )
    .meta({ examples: ['https://login.example.com', 'https://login.example.com/tenant/oauth2/v2.0'] }),
  AUTH_CLIENT_ID: plainText()
    .optional()
    .describe('OAuth client ID of the explorer and the console, a public client.'),
  AUTH_SCOPE: plainText().default('user_impersonation').describe('OAuth scope requested at sign-in.'),
};

const requestSettings = {
  PAGES: onOrOff()
    .optional()
    .describe(
      'Explorer at `/`, console at `/console`, introspection, and suggestions of names in error messages. Default: on in `dev`, off in `serve`.',
    ),
  TRUSTED_DOCUMENTS: documentManifest()
    .optional()
    .describe('File with the only [documents that are executed](security.md#documents-and-browsers).')
    .meta({ examples: ['/etc/tributary/documents.json'] }),
  MAX_COST: count(2 ** 40)
    .default(50_000)
    .describe(
      'Maximum [cost](security.md#how-cost-is-computed) of an operation: the upstream rows that it may request.',
    ),
  MAX_REQUESTS_PER_CALLER: count(100_000)
    .default(50)
    .describe(
      'Maximum number of concurrent requests of one caller, of the 200 of a process. 200 where a gateway sends the requests of all callers.',
    ),
  MAX_REQUESTS_PER_SECOND: count(1_000_000)
    .optional()
    .describe(
      'Maximum number of requests per second of one caller; with `REDIS_URL`, to all replicas. Default: no limit.',
    ),
};

const replicaSettings = {
  OPERATION_SECRETS: z
    .string()
    .transform((text) => text.split(',').map((secret) => secret.trim()))
    .refine(
      (secrets) => secrets.every((secret) => secret.length >= 16),
      'secrets of at least 16 characters, comma-separated',
    )
    .optional()
    .describe(
      'Keys of handles and cursors, [the same on all replicas](replicas.md#operation_secrets). The first seals, all open. Default: random at each start.',
    )
    .meta({ examples: ['new-secret-of-32-characters,old-secret-of-32-characters'] }),
  REDIS_URL: redisUrl()
    .optional()
    .describe('[Redis](replicas.md#redis) that connects replicas.')
    .meta({ examples: ['rediss://:password@redis.example:6379'] }),
};

// Names that OpenTelemetry specifies. Its exporter reads further variables itself.
const observationSettings = {
  LOG_LEVEL: oneOfWords('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .optional()
    .describe(
      'Log level. `warn` has what failed or was refused, `info` every operation. Default: `info` in `dev`, `warn` in `serve`.',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl()
    .optional()
    .describe('OTLP/HTTP endpoint for traces. `/v1/traces` is appended. Without an endpoint, tracing is off.')
    .meta({ examples: ['http://collector.example:4318'] }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: baseUrl()
    .optional()
    .describe('The same, with nothing appended.')
    .meta({ examples: ['http://collector.example:4318/v1/traces'] }),
  OTEL_EXPORTER_OTLP_HEADERS: keyValuePairs()
    .optional()
    .describe('Headers sent to the endpoint.')
    .meta({ examples: ['authorization=Basic%20dXNlcg%3D%3D,x-tenant=one'] }),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, '255 characters at most')
    .default('tributary')
    .describe('Service name in traces.'),
  OTEL_RESOURCE_ATTRIBUTES: keyValuePairs()
    .optional()
    .describe('Further resource attributes.')
    .meta({ examples: ['deployment.environment.name=production,service.namespace=records'] }),
  OTEL_TRACES_SAMPLER: oneOfWords(
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  )
    .default('parentbased_always_on')
    .describe("Sampler of traces. `parentbased_` follows the caller's `traceparent`."),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'a number, 0 to 1')
    .transform(Number)
    .default(1)
    .describe('Ratio of operations to trace, with `traceidratio`.')
    .meta({ examples: ['0.1'] }),
};

/** Every setting with its validation, default, description and examples. */
export const settingsSchema = z.object({
  ...serverSettings,
  ...businessSettings,
  ...managementSettings,
  ...connectionSettings,
  ...callerSettings,
  ...signInSettings,
  ...requestSettings,
  ...replicaSettings,
  ...observationSettings,
});

/** The settings by subject, in the order of `settingsSchema`. */
export const settingGroups: readonly {
  readonly title: string;
  readonly settings: Readonly<Record<string, z.ZodType>>;
}[] = [
  { title: 'Address and shutdown', settings: serverSettings },
  { title: 'Business Records (A)', settings: businessSettings },
  { title: 'Instance Control (B) and Health Events (C)', settings: managementSettings },
  { title: 'Proxies and client certificates', settings: connectionSettings },
  { title: 'Callers', settings: callerSettings },
  { title: 'Sign-in', settings: signInSettings },
  { title: 'Pages and requests', settings: requestSettings },
  { title: 'Replicas', settings: replicaSettings },
  { title: 'Log and traces', settings: observationSettings },
];

/** The validated settings by the names of their environment variables. */
export type Settings = z.output<typeof settingsSchema>;
export type SettingName = keyof Settings;
