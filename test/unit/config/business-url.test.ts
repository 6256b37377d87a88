import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';

const mistakesOf = (env: Readonly<Record<string, string>>): string => {
  try {
    readConfig(env, () => '');
    return '';
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  'https://api.example',
  'https://api.example/',
  'http://127.0.0.1:4100/v2.0/a%20b/',
  'https://host:7048/BC?tenant=default',
  'http://[::1]:4100/x?a=b&c=d',
])('%s is an address', (BUSINESS_URL) => {
  expect(mistakesOf({ BUSINESS_URL })).toBe('');
});

test.each([
  'https://api.example/{tenant}',
  'https://api.example/?tenant={tenant}',
  'https://api.example/?tenant',
  'https://user@api.example/x',
  'https://api.example/x#y',
  'ftp://api.example/x',
])('%s is rejected', (BUSINESS_URL) => {
  expect(mistakesOf({ BUSINESS_URL })).toMatch(/^BUSINESS_URL( is .*)?: expected an http or https URL/);
});
