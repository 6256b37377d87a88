import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';

const jwt = { JWT_ISSUER: 'i', JWT_AUDIENCE: 'a', JWT_JWKS_URL: 'https://login.example/keys' };
const readFile = () => '';
const mistakesOf = (env: Readonly<Record<string, string>>): string => {
  try {
    readConfig(env, readFile);
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};
const template = 'https://api.example/v2.0/{tenant}/{environment}';
const values = 'tenant=claim:tid environment=header:Tributary-Environment(production,sandbox)';

test('placeholders get their values from claims and from headers with allowed values', () => {
  const { BUSINESS_URL, BUSINESS_URL_VALUES } = readConfig(
    { ...jwt, BUSINESS_URL: template, BUSINESS_URL_VALUES: values },
    readFile,
  );

  expect(BUSINESS_URL).toBe(template);
  expect(BUSINESS_URL_VALUES).toEqual([
    { name: 'tenant', source: 'claim', field: 'tid', allowed: null },
    {
      name: 'environment',
      source: 'header',
      field: 'tributary-environment',
      allowed: ['production', 'sandbox'],
    },
  ]);
});

test.each([
  'https://api.example',
  'https://api.example/',
  'http://127.0.0.1:4100/v2.0/a%20b/',
  'https://host:7048/BC?tenant=default',
  'http://[::1]:4100/x?a=b&c=d',
])('%s is an address without placeholders', (BUSINESS_URL) => {
  expect(mistakesOf({ BUSINESS_URL })).toBe('');
});

test.each([
  'https://{tenant}.example/v2.0',
  'https://api.example:{port}/',
  '{scheme}://api.example/',
  'https://api.example/x{tenant}',
  'https://api.example/{}',
  'https://api.example/{a/b}',
  'https://api.example/?{name}=x',
  'https://api.example/?tenant=x{tenant}',
  'https://api.example/?tenant',
  'https://user@api.example/{tenant}',
  'https://api.example/{tenant}#x',
  'ftp://api.example/{tenant}',
])('%s is rejected', (BUSINESS_URL) => {
  expect(mistakesOf({ ...jwt, BUSINESS_URL, BUSINESS_URL_VALUES: 'tenant=claim:tid' })).toMatch(
    /^BUSINESS_URL is .* expected an http or https URL/,
  );
});

test.each([
  'tenant',
  'tenant=tid',
  'tenant=claim:',
  'tenant=header:x-tenant',
  'tenant=header:x-tenant()',
  'tenant=header:x-tenant(..)',
  'tenant=header:x-tenant(a,.)',
  'tenant=header:x-tenant(a/b)',
  'tenant=header:x tenant(a)',
  'tenant=cookie:x(a)',
])('%s gives no values', (BUSINESS_URL_VALUES) => {
  expect(mistakesOf({ ...jwt, BUSINESS_URL: 'https://api.example/{tenant}', BUSINESS_URL_VALUES })).toMatch(
    /BUSINESS_URL_VALUES is .* expected `name=claim:tid`/,
  );
});

test.each([
  [{ BUSINESS_URL: template }, 'BUSINESS_URL_VALUES is required when BUSINESS_URL has placeholders.'],
  [{ ...jwt, BUSINESS_URL: template, BUSINESS_URL_VALUES: 'tenant=claim:tid' }, '(tenant, environment)'],
  [{ ...jwt, BUSINESS_URL: 'https://api.example', BUSINESS_URL_VALUES: 'tenant=claim:tid' }, '(none)'],
  [
    { BUSINESS_URL: template, BUSINESS_URL_VALUES: values },
    'JWT_ISSUER is required when BUSINESS_URL_VALUES names a claim.',
  ],
  [
    { ...jwt, BUSINESS_URL: template, BUSINESS_URL_VALUES: values, BUSINESS_AUTH: 'client-credentials' },
    'BUSINESS_AUTH cannot be `client-credentials`',
  ],
  [
    { ...jwt, BUSINESS_URL: template, BUSINESS_URL_VALUES: values, WEBHOOK_URL: 'https://graph.example' },
    'WEBHOOK_URL cannot be set when BUSINESS_URL has placeholders',
  ],
])('%j stops the start', (env, message) => {
  expect(mistakesOf(env)).toContain(message);
});
