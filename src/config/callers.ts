import { plainText, scopes, secureUrl } from './setting-types.ts';

/** Verification and authorization of callers. */
export const callerSettings = {
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

/** Sign-in to the explorer and the console. */
export const signInSettings = {
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
