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
    .describe(
      'Port of `/livez`, `/readyz` and `/metrics` for probes and monitoring. `off` disables the port and metrics.',
    ),
  PUBLIC_URL: secureUrl()
    .optional()
    .describe(
      'Public URL of this server. Addresses of files begin with it; without it they are relative. With the credentials of `BUSINESS_TOKEN_URL`, area A posts changes of watched records to `/webhooks/records` below it; otherwise changes are polled.',
    )
    .meta({ examples: ['https://graph.example.com'] }),
  CORS_ORIGINS: origins()
    .default([])
    .describe(
      "Origins whose pages may use the graph, comma-separated. The server's own origin is always allowed.",
    )
    .meta({ examples: ['https://app.example.com,https://admin.example.com'] }),
  DRAIN_DELAY_MS: milliseconds(300_000, 0)
    .default(0)
    .describe('How long requests are still accepted after SIGTERM, while `/readyz` reports unready.'),
  DRAIN_TIMEOUT_MS: milliseconds(3_600_000)
    .default(25_000)
    .describe('How long requests in flight may take after `DRAIN_DELAY_MS`. Then they are cut off.'),
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
  BUSINESS_ITEM_V1: onOrOff()
    .default('on')
    .describe('Whether items can be read in the v1.0 shape. Set `off` if the upstream no longer has it.'),
  BUSINESS_COMPANY_ID: z
    .guid('a GUID')
    .transform((id) => id.toLowerCase())
    .optional()
    .describe('Company used when a query or mutation names none.')
    .meta({ examples: ['0e0f0986-928f-40d7-8834-d1910255a423'] }),
  RECORD_TYPES: paths()
    .default([])
    .describe(
      'A folder or files of `.graphql` that declare further record types, comma-separated, relative to the working directory. [record-types.md](record-types.md) has the form.',
    )
    .meta({ examples: ['./records'] }),
  EXTENSIONS: z
    .string()
    .optional()
    .describe(
      'A folder of `.graphql` files that add fields to the graph, and of JavaScript modules with their resolvers, relative to the working directory. [extend.md](extend.md) has the form.',
    )
    .meta({ examples: ['./extension'] }),
  HIDDEN: coordinates()
    .default([])
    .describe('Types and fields that the graph does not have, comma-separated.')
    .meta({ examples: ['Customer.balanceDue,GeneralLedgerEntry'] }),
  BUSINESS_AUTH: authMode().describe(
    "Authentication to area A. `forward`: the caller's token. `client-credentials`: a token of Tributary's own. `on-behalf-of`: a token obtained for the caller's.",
  ),
  BUSINESS_TOKEN_URL: secureUrl()
    .optional()
    .describe(
      'OAuth 2.0 token endpoint for area A. Required by `client-credentials` and `on-behalf-of`; with `PUBLIC_URL` it also serves webhooks.',
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
  MANAGEMENT_AUTH: authMode().describe('Authentication to areas B and C, as `BUSINESS_AUTH`.'),
  MANAGEMENT_TOKEN_HEADER: tokenHeader()
    .transform((header) => header.toLowerCase())
    .default('authorization')
    .describe(
      "Header with the caller's token for areas B and C, if it differs from the one for area A. Over WebSocket it is `managementAuthorization`, or the header's name in lower case, in `connection_init`.",
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
      'Resource type of virtual instances: `{provider_namespace}` of area B, the path segment before the name of an instance, and the `api-version`.',
    ),
  HEALTH_PROVIDER: healthProvider()
    .default('Vendor.Health@2025-05-01')
    .describe('`{health_provider_namespace}` of area C, and its `api-version`.'),
  HEALTH_BILLING_OPERATION: dottedName()
    .optional()
    .describe(
      'Operation that returns the details of billing events of a subscription, if it is a separate one. The example is that of the real service.',
    )
    .meta({ examples: ['fetchBillingCommunicationDetails'] }),
  SUBSCRIPTIONS_API_VERSION: apiVersionOrOff()
    .default('2022-12-01')
    .describe(
      '`api-version` of the list of subscriptions at `{management_url}/subscriptions`. `off`: the upstream has no such list.',
    ),
};

const connectionSettings = {
  HTTPS_PROXY: proxyUrl()
    .optional()
    .describe(
      'Proxy to https upstreams, token endpoints and the JWKS URL, with credentials if it needs them. Without a scheme it is `http://`, and a host without a dot needs its port. Never used for loopback addresses.',
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
      'Hosts that are reached without a proxy, comma-separated: `*`, names (with their subdomains), addresses and subnets, with a port if need be.',
    )
    .meta({ examples: ['.internal.example,10.0.0.0/8,[fd00::1]:8443'] }),
  UPSTREAM_CLIENT_CERT_FILE: z
    .string()
    .regex(/-----BEGIN CERTIFICATE-----/, 'a file with a certificate in PEM')
    .optional()
    .describe('File with the client certificate for upstreams that ask for one, and its chain, in PEM.')
    .meta({ examples: ['/run/secrets/client.crt'] }),
  UPSTREAM_CLIENT_KEY_FILE: z
    .string()
    .regex(/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/, 'a file with a private key in PEM')
    .optional()
    .describe('File with the private key of the client certificate, in PEM and not encrypted.')
    .meta({ examples: ['/run/secrets/client.key'] }),
};

const callerSettings = {
  JWT_ISSUER: plainText()
    .optional()
    .describe(
      "Issuer of callers' tokens (`iss`). With `JWT_AUDIENCE` and `JWT_JWKS_URL`, tokens are verified before anything else.",
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
    .describe('Scopes a verified caller needs to change records, comma-separated. All are required.')
    .meta({ examples: ['records.write'] }),
  OPERATE_SCOPES: scopes()
    .default([])
    .describe(
      'Scopes a verified caller needs to stop and start instances, comma-separated. All are required.',
    )
    .meta({ examples: ['instances.operate'] }),
  MANAGEMENT_SCOPES: scopes(true)
    .default(['user_impersonation'])
    .describe(
      'Scopes a verified caller needs for areas B and C, if its verified token is used for them. Empty (`MANAGEMENT_SCOPES=`): none, for services, which have roles instead.',
    ),
};

const signInSettings = {
  AUTH_URL: secureUrl()
    .optional()
    .describe(
      '`{auth_url}`: authorization server for sign-in to the explorer and the console, with `/common/oauth2/authorize` and `/common/oauth2/token` below it. If it has a path: `/authorize` and `/token`.',
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
      'Explorer at `/`, console at `/console`, introspection of the schema on every transport, and suggestions of names in error messages. Default: on in `dev`, off in `serve`.',
    ),
  TRUSTED_DOCUMENTS: documentManifest()
    .optional()
    .describe(
      'File with the only documents that are executed, requested by id or text, as the client preset of GraphQL Code Generator writes it.',
    )
    .meta({ examples: ['/etc/tributary/documents.json'] }),
  MAX_COST: count(2 ** 40)
    .default(50_000)
    .describe(
      'Maximum number of upstream rows that one operation may request. Rows count at every place of the response.',
    ),
  MAX_REQUESTS_PER_CALLER: count(100_000)
    .default(50)
    .describe(
      'Maximum number of concurrent requests of one caller, of the 200 of a process. Set it to 200 if a gateway sends the requests of all callers; more is no limit. A request counts one more for each 1,000 upstream rows it requests.',
    ),
  MAX_REQUESTS_PER_SECOND: count(1_000_000)
    .optional()
    .describe(
      'Maximum number of requests per second of one caller. More are rejected with 429 and `Retry-After`. With `REDIS_URL` the limit covers all replicas. Default: no limit.',
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
      'Keys of handles and cursors, comma-separated, the same on all replicas. The first seals, all open. Default: random at each start.',
    )
    .meta({ examples: ['new-secret-of-32-characters,old-secret-of-32-characters'] }),
  REDIS_URL: redisUrl()
    .optional()
    .describe('Redis that connects replicas: one replica polls an operation for all.')
    .meta({ examples: ['rediss://:password@redis.example:6379'] }),
};

// Names that OpenTelemetry specifies. Its exporter reads further variables itself.
const observationSettings = {
  LOG_LEVEL: oneOfWords('fatal', 'error', 'warn', 'info', 'debug', 'silent')
    .optional()
    .describe(
      'Log level. `warn` has what failed or was refused, `info` every operation. Logs go to standard output: JSON lines of `serve`, readable ones of `dev`. Default: `info` in `dev`, `warn` in `serve`.',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl()
    .optional()
    .describe(
      'OTLP/HTTP endpoint for traces. `/v1/traces` is appended. Without it and `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, tracing is off.',
    )
    .meta({ examples: ['http://collector.example:4318'] }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: baseUrl()
    .optional()
    .describe('OTLP/HTTP endpoint for traces, to which nothing is appended.')
    .meta({ examples: ['http://collector.example:4318/v1/traces'] }),
  OTEL_EXPORTER_OTLP_HEADERS: keyValuePairs()
    .optional()
    .describe('Headers sent to the endpoint, as `name=value`, comma-separated.')
    .meta({ examples: ['authorization=Basic%20dXNlcg%3D%3D,x-tenant=one'] }),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, '255 characters at most')
    .default('tributary')
    .describe('Service name in traces.'),
  OTEL_RESOURCE_ATTRIBUTES: keyValuePairs()
    .optional()
    .describe('Further resource attributes, as `name=value`, comma-separated.')
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
    .describe('Ratio of operations to trace, from 0 to 1, with `traceidratio`.')
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
