import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import type { ConfigError } from '../../../src/config/config-error.ts';
import { requireSafeMcp } from '../../../src/config/mcp-requirements.ts';

const callers = {
  PUBLIC_URL: 'https://graph.example',
  JWT_ISSUER: 'https://issuer.example',
  JWT_AUDIENCE: 'api://tributary',
  JWT_JWKS_URL: 'https://issuer.example/keys',
};
const business = {
  BUSINESS_URL: 'https://business.example',
  BUSINESS_AUTH: 'on-behalf-of',
  BUSINESS_TOKEN_URL: 'https://issuer.example/token',
  BUSINESS_CLIENT_ID: 'tributary',
  BUSINESS_CLIENT_SECRET: 'hunter2',
};
const management = {
  MANAGEMENT_URL: 'https://management.example',
  MANAGEMENT_AUTH: 'client-credentials',
  MANAGEMENT_TOKEN_URL: 'https://issuer.example/token',
  MANAGEMENT_CLIENT_ID: 'tributary',
  MANAGEMENT_CLIENT_SECRET: 'hunter2',
};
const check = (env: Record<string, string>) => requireSafeMcp(readConfig(env, () => ''));

function mistakesOf(env: Record<string, string>): string[] {
  try {
    check(env);
  } catch (error) {
    return (error as ConfigError).mistakes.map(({ variable }) => variable);
  }
  return [];
}

test.each([
  ['off, with tokens forwarded', { BUSINESS_URL: 'https://business.example' }],
  ['on, for one area', { MCP: 'on', ...callers, ...business }],
  ['on, for both', { MCP: 'on', ...callers, ...business, ...management }],
  ['ad-hoc', { MCP: 'ad-hoc', ...callers, ...management }],
])('MCP may be %s', (_what, env) => {
  expect(mistakesOf(env)).toEqual([]);
});

test.each([
  [
    'callers that are not verified',
    { MCP: 'on', PUBLIC_URL: callers.PUBLIC_URL, ...business },
    ['JWT_ISSUER', 'JWT_AUDIENCE', 'JWT_JWKS_URL'],
  ],
  ['no public URL', { MCP: 'on', ...callers, ...business, PUBLIC_URL: '' }, ['PUBLIC_URL']],
  ['a forwarded token', { MCP: 'on', ...callers, ...business, BUSINESS_AUTH: 'forward' }, ['BUSINESS_AUTH']],
  [
    'one of two forwarded',
    { MCP: 'ad-hoc', ...callers, ...business, MANAGEMENT_URL: 'https://management.example' },
    ['MANAGEMENT_AUTH'],
  ],
])('MCP does not start with %s', (_what, env, variables) => {
  expect(mistakesOf(env)).toEqual(variables);
});

test('each message says what to do', () => {
  expect(() => check({ MCP: 'on', BUSINESS_URL: 'https://business.example' })).toThrow(
    [
      'PUBLIC_URL is required when MCP is `on` or `ad-hoc`, except in `dev`.',
      'JWT_ISSUER is required when MCP is `on` or `ad-hoc`, except in `dev`.',
      'JWT_AUDIENCE is required when MCP is `on` or `ad-hoc`, except in `dev`.',
      'JWT_JWKS_URL is required when MCP is `on` or `ad-hoc`, except in `dev`.',
      "BUSINESS_AUTH is `forward`, which passes the agent's token on: MCP forbids that. Set it to `on-behalf-of` or `client-credentials`, or MCP to `off`.",
    ].join('\n'),
  );
});
