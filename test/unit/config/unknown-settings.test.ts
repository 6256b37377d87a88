import { describe, expect, test } from 'vitest';
import { listSettingWarnings, readConfig, requireSettings } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';

const messageOf = (act: () => unknown): string => {
  try {
    act();
    return '';
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
};
const refusal = (...names: string[]) =>
  messageOf(() => readConfig(Object.fromEntries(names.map((name) => [name, 'x'])), () => ''));

describe('a variable that is no setting', () => {
  test.each([
    ['BUSINESS_URLS', 'BUSINESS_URL'],
    ['BUSINES_URL', 'BUSINESS_URL'],
    ['MANAGEMNET_AUTH', 'MANAGEMENT_AUTH'],
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['MAX_COSTS', 'MAX_COST'],
    ['REDIS_URI', 'REDIS_URL'],
    ['OPERATION_SECRET', 'OPERATION_SECRETS'],
    ['OPERATION_SECRETS_FIEL', 'OPERATION_SECRETS_FILE'],
    ['ADMIN_PROT', 'ADMIN_PORT'],
    ['MANAGEMENT_TOKEN_URI_', 'MANAGEMENT_TOKEN_URL'],
  ])('%s stops the start, and %s is suggested', (name, setting) => {
    expect(refusal(name)).toBe(`${name} is not a setting. Did you mean ${setting}?`);
  });

  test.each(['BUSINESS_ENVIRONMENT', 'UPSTREAM_HOST', 'WEBHOOK_SECRET', 'SANDBOX_URL', 'HEALTH_PATH'])(
    '%s begins as settings do, and stops the start',
    (name) => {
      expect(refusal(name)).toBe(`${name} is not a setting. docs/settings.md lists them.`);
    },
  );

  test('is named with all other mistakes, and its value with none', () => {
    const env = { BUSINESS_CLIENT_SECRETS: 'hunter2', PORT: 'x' };

    const message = messageOf(() => readConfig(env, () => ''));

    expect(message).toContain('Did you mean BUSINESS_CLIENT_SECRET?');
    expect(message).toContain('PORT is "x"');
    expect(message).not.toContain('hunter2');
  });

  test.each([
    ['log_level', 'LOG_LEVEL'],
    ['LogLevel', 'LOG_LEVEL'],
    ['Max_Cost', 'MAX_COST'],
    ['DRAIN_TIMEOUT', 'DRAIN_TIMEOUT_MS'],
    ['REQUEST_TIMEOUT_SECONDS', 'REQUEST_TIMEOUT_MS'],
    ['JWT_JWKS_URL_FILE', 'JWT_JWKS_URL'],
    ['CROS_ORIGIN', 'CORS_ORIGINS'],
    ['RECORDTYPE', 'RECORD_TYPES'],
  ])('%s is a warning', (name, setting) => {
    expect(refusal(name)).toBe('');
    expect(listSettingWarnings({ [name]: 'x' })).toEqual([
      `${name} is not a setting, and has no effect. Did you mean ${setting}?`,
    ]);
  });

  test.each([
    'PATH',
    'HOSTS',
    'PORTS',
    'NODE_OPTIONS',
    'OTEL_LOG_LEVEL',
    'FTP_PROXY',
    'SANDBOX_SERVICE_HOST',
    'BUSINESS_PORT_80_TCP_ADDR',
    'SANDBOX_SERVICE_PORT_HTTP',
    'HEALTH_PORT',
  ])('%s belongs to another program', (name) => {
    expect(refusal(name)).toBe('');
    expect(listSettingWarnings({ [name]: 'x' })).toEqual([]);
  });
});

test('what Kubernetes sets for services named like ports of the server is no setting', () => {
  const env = { ADMIN_PORT: 'tcp://10.96.0.12:80', SANDBOX_PORT: 'udp://[fd00::1]:4100' };
  expect(readConfig(env, () => '')).toMatchObject({ ADMIN_PORT: 4001, SANDBOX_PORT: 4100 });
  expect(messageOf(() => readConfig({ PORT: 'tcp://10.96.0.12:80' }, () => ''))).toContain('PORT is');
});

test('in a file of settings, every name is a setting or one of Node.js', () => {
  expect(
    messageOf(() =>
      requireSettings(['PORT', 'NODE_OPTIONS', 'TZ', 'https_proxy', 'OTEL_BSP_SCHEDULE_DELAY']),
    ),
  ).toBe('');
  expect(messageOf(() => requireSettings(['COMPOSE_FILE', 'PROT']))).toBe(
    'COMPOSE_FILE is not a setting. docs/settings.md lists them.\nPROT is not a setting. Did you mean PORT?',
  );
  expect(messageOf(() => requireSettings(['SANDBOX_SERVICE_HOST']))).toContain('is not a setting');
});
