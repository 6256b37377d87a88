import { z } from 'zod';
import {
  apiVersion,
  apiVersionOrOff,
  baseUrl,
  baseUrlWithQuery,
  callQuotaOrOff,
  count,
  dottedName,
  milliseconds,
  oneOfWords,
  onOrOff,
  paths,
  pem,
  plainText,
  proxyUrl,
  secureUrl,
  tokenHeader,
} from './setting-types.ts';

const authMode = () => oneOfWords('forward', 'client-credentials', 'on-behalf-of').default('forward');

/** Business Records (A). */
export const businessSettings = {
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
      'Files of further record types, comma-separated, relative to the working directory; `*` stands for any part of a file name. [record-types.md](record-types.md) has the format.',
    )
    .meta({ examples: ['./records/*.json'] }),
  BUSINESS_AUTH: authMode().describe(
    "Authentication to area A. `forward`: the caller's token. `client-credentials`: a token of Tributary's own. `on-behalf-of`: a token obtained for the caller's.",
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
  WEBHOOK_URL: secureUrl()
    .optional()
    .describe(
      'Public URL of this server for webhooks of area A. The upstream posts changes of watched records to `/webhooks/records` below it. Requires `BUSINESS_TOKEN_URL`, `BUSINESS_CLIENT_ID` and `BUSINESS_CLIENT_SECRET`. Without it, changes are polled.',
    )
    .meta({ examples: ['https://graph.example.com'] }),
};

/** Instance Control (B) and Health Events (C). */
export const managementSettings = {
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
  INSTANCES_NAMESPACE: dottedName().default('Vendor.Workloads').describe('`{provider_namespace}` of area B.'),
  INSTANCES_SEGMENT: dottedName()
    .default('virtualInstances')
    .describe('Path segment before the name of a virtual instance.'),
  INSTANCES_API_VERSION: apiVersion().default('2023-04-01').describe('`api-version` of area B.'),
  HEALTH_NAMESPACE: dottedName()
    .default('Vendor.Health')
    .describe('`{health_provider_namespace}` of area C.'),
  HEALTH_API_VERSION: apiVersion().default('2025-05-01').describe('`api-version` of area C.'),
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

/** Calls to every upstream. */
export const callSettings = {
  REQUEST_TIMEOUT_MS: milliseconds(600_000)
    .default(30_000)
    .describe(
      'Timeout of a query, including all upstream calls and retries. The header `x-request-timeout`, in milliseconds, shortens it. A write may wait as long to be sent.',
    ),
  UPSTREAM_CALLS_PER_CALLER: count(1000)
    .default(5)
    .describe(
      'Maximum number of concurrent calls of one caller to each upstream. The real service of area A runs five at once.',
    ),
  UPSTREAM_QUOTA: callQuotaOrOff()
    .optional()
    .describe(
      'Calls that area A accepts of one caller within a time, as `calls/seconds`. Calls are paced so that no caller exceeds it; with `REDIS_URL`, on all replicas together. `off`: the upstream decides. Default: `6000/300` in the dialect `dynamics`, otherwise `off`.',
    )
    .meta({ examples: ['6000/300'] }),
};

/** Proxies and certificates. */
export const connectionSettings = {
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
  UPSTREAM_CLIENT_CERT_FILE: pem(/-----BEGIN CERTIFICATE-----/, 'a file with a certificate in PEM')
    .optional()
    .describe('File with the client certificate for upstreams that ask for one, and its chain, in PEM.')
    .meta({ examples: ['/run/secrets/client.crt'] }),
  UPSTREAM_CLIENT_KEY_FILE: pem(/-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/, 'a file with a private key in PEM')
    .optional()
    .describe('File with the private key of the client certificate, in PEM and not encrypted.')
    .meta({ examples: ['/run/secrets/client.key'] }),
};
