import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { listEffectiveSettings } from '../../../src/config/effective-settings.ts';

const refuse = (env: Readonly<Record<string, string>>) => () => readConfig(env, () => '');

test.each([
  ['BUSINESS_URL', 'u:S3CR3T@host/path'],
  ['MANAGEMENT_URL', 'https://S3CR3T@host'],
  ['MANAGEMENT_URL', 'https://u:S3CR3T%40host'],
  ['CORS_ORIGINS', 'https://u:S3CR3T@host'],
  ['MANAGEMENT_URL', 'https://host/?code=S3CR3T&a='],
  ['PUBLIC_URL', 'https://host/#token=S3CR3T'],
  ['BUSINESS_URL', 'host?S3CR3T'],
])('a refused %s of %s is not shown', (name, value) => {
  expect(refuse({ [name]: value })).toThrow(`${name}: expected`);
});

test('a URL is listed without its query', () => {
  const values = { BUSINESS_URL: 'https://host/a?code=S3CR3T&sig=S3CR3T' };

  const listed = listEffectiveSettings({ values, sources: new Map() });

  expect(listed.find(({ name }) => name === 'BUSINESS_URL')?.value).toBe('https://host/a?…');
});

test('a default that depends on the command is listed for both', () => {
  const listed = listEffectiveSettings({ values: {}, sources: new Map() });

  expect(listed.find(({ name }) => name === 'PAGES')?.value).toBe('on in dev, off in serve');
});
