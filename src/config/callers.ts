import { z } from 'zod';
import { scopes, secureUrl } from './setting-types.ts';

/** Verification and authorization of callers, and sign-in. */
export const callerSettings = {
  JWT_ISSUER: z
    .string()
    .optional()
    .describe(
      "Issuer of callers' tokens (`iss`). With `JWT_AUDIENCE` and `JWT_JWKS_URL`, tokens are verified before anything else.",
    ),
  JWT_AUDIENCE: z.string().optional().describe("Audience of callers' tokens (`aud`)."),
  JWT_JWKS_URL: secureUrl().optional().describe("JWKS URL with the keys that verify callers' tokens."),
  WRITE_SCOPES: scopes()
    .default([])
    .describe('Scopes a verified caller needs to change records, comma-separated. All are required.'),
  OPERATE_SCOPES: scopes()
    .default([])
    .describe(
      'Scopes a verified caller needs to stop and start instances, comma-separated. All are required.',
    ),
  MANAGEMENT_SCOPES: scopes(true)
    .default(['user_impersonation'])
    .describe(
      'Scopes a verified caller needs for areas B and C, if its verified token is used for them. Empty (`MANAGEMENT_SCOPES=`): none, for services, which have roles instead.',
    ),
  AUTH_URL: secureUrl()
    .optional()
    .describe(
      '`{auth_url}`: authorization server for sign-in to the explorer and the console, with `/common/oauth2/authorize` and `/common/oauth2/token` below it. If it has a path: `/authorize` and `/token`.',
    ),
  AUTH_CLIENT_ID: z
    .string()
    .optional()
    .describe('OAuth client ID of the explorer and the console, a public client.'),
  AUTH_SCOPE: z.string().default('user_impersonation').describe('OAuth scope requested at sign-in.'),
};
