import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { withoutServiceLinks } from '../../../src/config/setting-names.ts';

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
    ['LOG_LEVLE', 'LOG_LEVEL'],
    ['REDIS_URI', 'REDIS_URL'],
    ['ADMIN_PROT', 'ADMIN_PORT'],
  ])('%s stops the start, and %s is suggested', (name, setting) => {
    expect(refusal(name)).toBe(`${name} is not a setting. Did you mean ${setting}?`);
  });

  test.each(['BUSINESS_ENVIRONMENT', 'SANDBOX_URL'])(
    '%s begins as settings do, and stops the start',
    (name) => {
      expect(refusal(name)).toBe(`${name} is not a setting. \`tributary settings\` lists them.`);
    },
  );

  test('is named with all other mistakes, and its value with none', () => {
    const env = { BUSINESS_CLIENT_SECRETS: 'hunter2', PORT: 'x' };

    const message = messageOf(() => readConfig(env, () => ''));

    expect(message).toContain('Did you mean BUSINESS_CLIENT_SECRET?');
    expect(message).toContain('PORT is "x"');
    expect(message).not.toContain('hunter2');
  });

  test.each(['PORT_FILE', 'NODE_OPTIONS', 'FTP_PROXY', 'DATABASE_PORT'])(
    '%s may belong to another program',
    (name) => {
      expect(refusal(name)).toBe('');
    },
  );
});

test('what Kubernetes sets for services is no setting, whatever their names', () => {
  const links = {
    ADMIN_PORT: 'tcp://10.96.0.12:80',
    ADNIN_PORT: 'tcp://10.96.0.12:80',
    PORT: 'udp://[fd00::1]:4000',
    SANDBOX_SERVICE_HOST: '10.96.0.12',
    SANDBOX_SERVICE_PORT_HTTP: '80',
    BUSINESS_PORT_80_TCP_ADDR: '10.96.0.12',
  };
  const own = { PORT: 'tcp', ADMIN_PORT: '4100', ADNIN_PORT: '4100', HEALTH_PORT: '80', SANDBOX_PORT: '' };

  expect(withoutServiceLinks({ ...links, PATH: '/bin' })).toEqual({ PORT: links.PORT, PATH: '/bin' });
  expect(withoutServiceLinks(own)).toEqual(own);
});

test.each(['JWT_ISSUER', 'JWT_JWKS_URL', 'WRITE_SCOPES'])('%s_FILE is a mistake', (setting) => {
  expect(refusal(`${setting}_FILE`)).toBe(`${setting}_FILE is not a setting. Did you mean ${setting}?`);
});
