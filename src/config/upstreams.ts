import { z } from 'zod';
import { baseUrl, count, milliseconds, name, oneOf, onOrOff, secureUrl, wholeNumber } from './kinds.ts';

const access = () => oneOf('forward', 'client-credentials', 'on-behalf-of').default('forward');

/** Area A. */
export const businessSettings = {
  BUSINESS_URL: baseUrl()
    .optional()
    .describe('`{base_url}` of area A; `/api/v2.0` and `/api/v1.0` are appended.'),
  BUSINESS_DIALECT: oneOf('document', 'dynamics')
    .default('document')
    .describe(
      'How the upstream of area A speaks: `document` as its document writes it, `dynamics` as the real service does.',
    ),
  BUSINESS_ITEM_V1: onOrOff()
    .default('on')
    .describe('Whether items can be read in the v1.0 shape: `off` where the upstream no longer has it.'),
  BUSINESS_CHOSEN_IDS: oneOf('auto', 'off')
    .default('auto')
    .describe(
      'Whether a create may be sent again under the id it was given: `auto` where the upstream is proven to keep ids, `off` never.',
    ),
  BUSINESS_COMPANY_ID: z
    .guid('a GUID')
    .transform((id) => id.toLowerCase())
    .optional()
    .describe('The company used where a query or change names none.'),
  BUSINESS_AUTH: access().describe(
    "In whose name area A is asked: `forward` sends the caller's token, `client-credentials` one of the layer's own, `on-behalf-of` one that was given for the caller's.",
  ),
  BUSINESS_TOKEN_URL: secureUrl()
    .optional()
    .describe(
      'Where the layer gets tokens for area A (OAuth 2.0): for the two latter, and for webhooks in any case.',
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
  WEBHOOK_URL: secureUrl()
    .optional()
    .describe(
      'Where the upstream of area A reaches this layer: it is asked to send changes of watched records to `/webhooks/records` below it. Takes the three settings above; without it changes are polled.',
    ),
};

/** Areas B and C. */
export const managementSettings = {
  MANAGEMENT_URL: baseUrl().optional().describe('`{management_url}` of areas B and C.'),
  MANAGEMENT_AUTH: access().describe('In whose name areas B and C are asked, as `BUSINESS_AUTH`.'),
  MANAGEMENT_TOKEN_HEADER: name()
    .transform((header) => header.toLowerCase())
    .default('authorization')
    .describe(
      "The header that carries the caller's token for areas B and C, where it is not the one for A; over WebSocket it is `managementAuthorization`.",
    ),
  MANAGEMENT_TOKEN_URL: secureUrl().optional().describe('Where the layer gets tokens for areas B and C.'),
  MANAGEMENT_CLIENT_ID: z.string().optional().describe('Who the layer is there.'),
  MANAGEMENT_CLIENT_SECRET: z
    .string()
    .optional()
    .describe('Its secret. `MANAGEMENT_CLIENT_SECRET_FILE` names a file that holds it.'),
  MANAGEMENT_SCOPE: z
    .string()
    .optional()
    .describe('What the token is for, where the place that gives it asks.'),
  INSTANCES_NAMESPACE: name().default('Vendor.Workloads').describe('`{provider_namespace}` of area B.'),
  INSTANCES_SEGMENT: name()
    .default('virtualInstances')
    .describe('The path segment before a virtual instance.'),
  INSTANCES_API_VERSION: name().default('2023-04-01').describe('`api-version` of area B.'),
  HEALTH_NAMESPACE: name().default('Vendor.Health').describe('`{health_provider_namespace}` of area C.'),
  HEALTH_API_VERSION: name().default('2025-05-01').describe('`api-version` of area C.'),
};

/** How every upstream is spoken to. */
export const callSettings = {
  REQUEST_TIMEOUT_MS: milliseconds(600_000)
    .default(30_000)
    .describe(
      'How long a query may take, with everything that is read and tried again for it. The header `x-request-timeout`, in milliseconds, makes it less. A write may wait as long to be sent.',
    ),
  WRITE_TIMEOUT_MS: milliseconds(600_000)
    .default(60_000)
    .describe('How long one write to an upstream may take: cut short, its outcome is unknown.'),
  MAX_RESPONSE_BYTES: wholeNumber('a number of bytes, 1024 or more', 1024, 2 ** 40)
    .default(32 * 1024 * 1024)
    .describe('How much of one upstream answer is read.'),
  UPSTREAM_CONNECTIONS: count(1000)
    .default(64)
    .describe('How many calls may be on their way to each upstream.'),
  UPSTREAM_CALLS_PER_CALLER: count(1000)
    .default(5)
    .describe(
      'How many of them may be of one caller: more than five the real service of area A does not run at once.',
    ),
  UPSTREAM_WAITING_PER_CALLER: count(100_000)
    .default(50)
    .describe('How many calls of one caller may wait for that, or for an end of throttling.'),
  UPSTREAM_ATTEMPTS: count(10)
    .default(3)
    .describe(
      'How often a call may be tried: again only where it can do no harm, and what asks for a while of patience is given it.',
    ),
  UPSTREAM_BREAKER: onOrOff()
    .default('on')
    .describe(
      'Circuit breakers: calls fail at once for ten seconds when half of them fail. One opens for all callers when the upstream fails as a whole, others for one caller and kind of call.',
    ),
};
