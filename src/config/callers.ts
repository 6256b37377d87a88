import { z } from 'zod';
import { scopes, secureUrl } from './kinds.ts';

/** Who callers are, and what they may do. */
export const callerSettings = {
  JWT_ISSUER: z
    .string()
    .optional()
    .describe(
      'Who issues the tokens of callers (`iss`). With the two settings that follow, tokens are verified before anything else.',
    ),
  JWT_AUDIENCE: z.string().optional().describe('Whom they are issued for (`aud`).'),
  JWT_JWKS_URL: secureUrl().optional().describe('Where the keys are that they are signed with.'),
  WRITE_SCOPES: scopes()
    .default([])
    .describe('Scopes a verified caller needs to change records, by comma: all of them.'),
  OPERATE_SCOPES: scopes()
    .default([])
    .describe('Scopes a verified caller needs to stop and start instances, by comma: all of them.'),
  MANAGEMENT_SCOPES: scopes()
    .default(['user_impersonation'])
    .describe(
      'Scopes a verified caller needs for areas B and C, where its token for them is the verified one.',
    ),
  AUTH_URL: secureUrl()
    .optional()
    .describe(
      '`{auth_url}`, where users of the explorer and the console sign in, at `/common/oauth2/authorize` and `/common/oauth2/token` below it; where it has a path, at `/authorize` and `/token`.',
    ),
  AUTH_CLIENT_ID: z.string().optional().describe('Who these pages are there: a public client.'),
  AUTH_SCOPE: z.string().default('user_impersonation').describe('What their users sign in for.'),
};
