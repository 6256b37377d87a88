import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { listEffectiveSettings } from '../../../src/config/effective-settings.ts';
import { settingsSchema } from '../../../src/config/settings.ts';

const noFiles = (path: string): string => {
  throw new Error(`ENOENT: ${path}`);
};
const read = (env: Record<string, string | undefined>, readFile = noFiles) => readConfig(env, readFile);

function faultsOf(env: Record<string, string>, readFile = noFiles): ConfigError {
  try {
    readConfig(env, readFile);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
}

const notHosts = ['127.0.0.1 ', 'localhost:4000', '[::1]', 'https://example.com', 'off'];
// Each is what a parser would mend or a server take literally.
const notUrls = [
  'https://{tenant}.example.com',
  'https:\\\\example.com\\a',
  'https://example.com/\r\nx',
  'https://a.com;https://b.com',
  'https://example.com//a',
  'ftp://example.test',
  'https://example.test/#top',
];

describe('an empty environment', () => {
  test('is what an environment of empty variables is, but that no scope is asked for areas B and C', () => {
    const empty = Object.fromEntries(Object.keys(settingsSchema.shape).map((name) => [name, '']));

    expect(read({ ...empty, OPERATION_SECRETS_FILE: '' })).toEqual({ ...read({}), MANAGEMENT_SCOPES: [] });
  });
});

describe('a setting', () => {
  test.each(Object.entries(settingsSchema.shape))('%s has a description, a sentence', (_name, setting) => {
    expect(setting.description).toMatch(/^\S.{10,}\.$/);
  });

  test.each([
    ['PORT', '0', 0],
    ['MANAGEMENT_TOKEN_HEADER', 'X-Management-Token', 'x-management-token'],
    ['BUSINESS_COMPANY_ID', 'A1B2C3D4-0000-4000-8000-0000000000FF', 'a1b2c3d4-0000-4000-8000-0000000000ff'],
    ['BUSINESS_URL', 'http://localhost:4100/base/', 'http://localhost:4100/base/'],
    ['MANAGEMENT_SCOPES', '', []],
    ['MANAGEMENT_SCOPES', 'a b', ['a', 'b']],
    ['ADMIN_PORT', 'off', 'off'],
    ['MANAGEMENT_URL', 'https://münchen.example', 'https://münchen.example'],
    ['BUSINESS_TOKEN_URL', 'https://login.example/token', 'https://login.example/token'],
    ['BUSINESS_URL', 'https://host:7048/BC?tenant=default', 'https://host:7048/BC?tenant=default'],
    ['OTEL_TRACES_SAMPLER_ARG', '0.25', 0.25],
    ['REDIS_URL', 'redis://:p%40ss@[::1]:6379', 'redis://:p%40ss@[::1]:6379'],
    ['HTTPS_PROXY', 'user:p@ss@10.0.0.1:3128', 'http://user:p@ss@10.0.0.1:3128'],
    ['HTTP_PROXY', 'proxy.example:3128', 'http://proxy.example:3128'],
    ['HOST', 'fe80::1%eth0', 'fe80::1%eth0'],
  ])('%s takes %s', (variable, given, expected) => {
    expect(read({ [variable]: given })).toMatchObject({ [variable]: expected });
  });

  test.each<readonly [string, string, string]>([
    ['PORT', '65536', '0 to 65535'],
    ['HEALTH_BILLING_OPERATION', 'a/b', 'letters, digits'],
    ['ADMIN_PORT', 'on', '0 to 65535, or `off`'],
    ['PUBLIC_URL', 'http://layer.example', 'https'],
    ['BUSINESS_TOKEN_URL', 'http://login.example/token', 'an https URL, or http with a loopback host'],
    ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a number, 0 to 1'],
    ['OTEL_TRACES_SAMPLER', 'always', '`parentbased_traceidratio`'],
    ...notHosts.map((host) => ['HOST', host, 'an IP address without brackets, or a host name'] as const),
    ...notUrls.map((url) => ['MANAGEMENT_URL', url, 'URL without'] as const),
    ['AUTH_SCOPE', ' a', 'without blanks around it'],
    ['BUSINESS_CLIENT_ID', 'id\n', 'text on one line'],
    ['MANAGEMENT_TOKEN_HEADER', 'Content-Length', 'a header that has no other use'],
    ['SUBSCRIPTIONS_API_VERSION', 'no', 'or `off`'],
    ['CORS_ORIGINS', ' ', 'origins such as'],
    ['MANAGEMENT_SCOPES', 'a;b', 'scopes, separated by commas or spaces'],
    ['MAX_REQUESTS_PER_SECOND', '0.5', '1 to 1000000'],
    ['MANAGEMENT_TOKEN_HEADER', 'x token', 'letters, digits'],
    ['INSTANCES_TYPE', 'Vendor/Workloads/instances@2023-04-01', 'a namespace, a type and a version'],
    ['HEALTH_PROVIDER', 'Vendor?@2025-05-01', 'a namespace and a version'],
    ['MAX_COST', '99999999999999999999', '1 to 1099511627776'],
    ['MANAGEMENT_SCOPES', ',', 'or an empty value for none'],
    ['BUSINESS_URL', 'u:S3CR3T@host/path', 'URL'],
    ['MANAGEMENT_URL', 'https://S3CR3T@host', 'URL'],
    ['MANAGEMENT_URL', 'https://u:S3CR3T%40host', 'URL'],
    ['CORS_ORIGINS', 'https://u:S3CR3T@host', 'origins such as'],
    ['MANAGEMENT_URL', 'https://host/?code=S3CR3T&a=', 'URL'],
    ['PUBLIC_URL', 'https://host/#token=S3CR3T', 'URL'],
    ['BUSINESS_URL', 'host?S3CR3T', 'URL'],
  ])('%s refuses %s and says what it takes', (variable, value, expected) => {
    const error = faultsOf({ [variable]: value });

    expect(error.mistakes).toEqual([{ variable, message: error.message }]);
    const shown = /[?#]|S3CR3T/.test(value) ? '' : ` is ${JSON.stringify(value)}`;
    expect(error.message.startsWith(`${variable}${shown}: expected `)).toBe(true);
    expect(error.message).toContain(expected);
  });
});

test.each(['http://proxy.example:99999', 'http://proxy.example/path'])(
  'a proxy at %s is refused',
  (HTTP_PROXY) => {
    expect(faultsOf({ HTTP_PROXY }).message).toContain('URL of a proxy');
  },
);

test('a URL is listed without its query', () => {
  const values = { BUSINESS_URL: 'https://host/a?code=S3CR3T&sig=S3CR3T' };

  const listed = listEffectiveSettings({ values, sources: new Map() });

  expect(listed.find(({ name }) => name === 'BUSINESS_URL')?.value).toBe('https://host/a?…');
});

test('all mistakes come in one error, a line each', () => {
  const error = faultsOf(
    { PORT: 'x', BUSINESS_URL: 'y', LOG_LEVEL: 'z', OPERATION_SECRETS_FILE: '/none', MAX_COST: '5' },
    noFiles,
  );

  expect(error.mistakes.map(({ variable }) => variable).sort()).toEqual([
    'BUSINESS_URL',
    'LOG_LEVEL',
    'OPERATION_SECRETS_FILE',
    'PORT',
  ]);
  expect(error.message.split('\n')).toHaveLength(4);
});

test('headers and attributes of OpenTelemetry are pairs, by comma, with values that may be percent-encoded', () => {
  const given = {
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b%3D, x-tenant=42',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,empty=',
  };

  expect(read(given)).toMatchObject({
    OTEL_EXPORTER_OTLP_HEADERS: { 'api-key': 'a b=', 'x-tenant': '42' },
    OTEL_RESOURCE_ATTRIBUTES: { 'deployment.environment': 'test', empty: '' },
  });
  for (const wrong of ['hunter2', 'a=hunter2,', 'a=hunter2%', 'a=hunter2%0d%0ab:c'])
    expect(faultsOf({ OTEL_EXPORTER_OTLP_HEADERS: wrong }).message).toMatch(
      /^OTEL_EXPORTER_OTLP_HEADERS: expected `name=value`[^2]*$/,
    );
});

describe('the secrets', () => {
  const first = 'the first secret';
  const second = 'the second secret';

  test('are read from the file that OPERATION_SECRETS_FILE names, split at commas and trimmed', () => {
    const asked: string[] = [];
    const config = read({ OPERATION_SECRETS_FILE: '/run/secrets/keys' }, (path) => {
      asked.push(path);
      return ` ${first} ,${second}\n`;
    });

    expect(config.OPERATION_SECRETS).toEqual([first, second]);
    expect(asked).toEqual(['/run/secrets/keys']);
  });

  test.each(['-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----'])(
    'in place of the name of their file are not shown: %j',
    (secret) => {
      for (const variable of ['OPERATION_SECRETS_FILE', 'UPSTREAM_CLIENT_KEY_FILE'])
        expect(faultsOf({ [variable]: secret }).message).toContain(
          `${variable}: expected the path of a readable file, such as /run/secrets/name`,
        );
    },
  );

  test.each(['http://user:hunter2@redis.example', 'redis://:hunter2@redis.example/99x'])(
    'do not show an address of Redis that is none',
    (url) => {
      const error = faultsOf({ REDIS_URL: url });

      expect(error.message).toMatch(/^REDIS_URL: expected a redis:\/\/ or rediss:\/\/ URL,/);
    },
  );

  test.each(['BUSINESS_CLIENT_SECRET', 'REDIS_URL', 'OPERATION_SECRETS'])('stand on one line: %s', (name) => {
    expect(faultsOf({ [name]: 'redis://hunter2\nand-more-text' }).mistakes).toEqual([
      { variable: name, message: `${name}: expected text on one line.` },
    ]);
  });

  test.each([['hunter2'], ['fifteen letters'], [`${first},hunter2`], [`${first},`]])(
    'are never shown, not even bad ones',
    (secrets) => {
      const error = faultsOf({ OPERATION_SECRETS: secrets });
      const fromFile = faultsOf({ OPERATION_SECRETS_FILE: '/keys' }, () => secrets);

      for (const { message, mistakes } of [error, fromFile]) {
        expect(mistakes).toEqual([{ variable: 'OPERATION_SECRETS', message }]);
        expect(message).toContain('16 characters');
        expect(message).not.toContain('hunter2');
        expect(message).not.toContain(first);
      }
    },
  );
});
