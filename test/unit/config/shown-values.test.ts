import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { listEffectiveSettings } from '../../../src/config/effective-settings.ts';

const refuse = (env: Readonly<Record<string, string>>) => () => readConfig(env, () => '');

test.each([
  ['BUSINESS_URL', 'u:S3CR3T@host/path', '…@host/path'],
  ['AUTH_URL', 'u:S3CR3T@h', '…@h'],
  ['MANAGEMENT_URL', 'https:/u:S3CR3T@ho st', 'https:/…@ho st'],
  ['MANAGEMENT_URL', 'https://u:S3CR3T@h@host', 'https://…@host'],
  ['MANAGEMENT_URL', 'HTTPS://u:S3CR3T/@host', 'HTTPS://…@host'],
  ['MANAGEMENT_URL', 'https://u:S3CR3T%40host', 'https://…@host'],
  ['CORS_ORIGINS', 'https://u:S3CR3T@host', 'https://…@host'],
  ['HOST', 'u:S3CR3T@host', '…@host'],
  ['MANAGEMENT_URL', 'https://host/?code=S3CR3T&a=', 'https://host/?code=…&a='],
  ['MANAGEMENT_URL', 'https://host/?S3CR3T', 'https://host/?…'],
  ['PUBLIC_URL', 'https://host/?sig=S3C R3T#token=S3CR3T', 'https://host/?sig=…#…'],
  ['BUSINESS_URL', 'host?code=S3CR3T&tenant=default', 'host?code=…&tenant=default'],
])('a refused %s of %s is shown without secrets', (name, value, shown) => {
  expect(refuse({ [name]: value })).toThrow(`${name} is ${JSON.stringify(shown)}: expected`);
});

test.each([
  ['https://host/a?code=S3CR3T&sig=S3CR3T', 'https://host/a?code=…&sig=…'],
  ['https://host/a?tenant=default&code=S3CR3T', 'https://host/a?tenant=default&code=…'],
])('the query of %s is listed without secrets', (url, shown) => {
  const listed = listEffectiveSettings({ values: { BUSINESS_URL: url }, sources: new Map() }, 'serve');

  expect(listed.find(({ name }) => name === 'BUSINESS_URL')?.value).toBe(shown);
});
