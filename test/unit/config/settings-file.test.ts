import { expect, test } from 'vitest';
import { settingsSchema } from '../../../src/config/settings.ts';
import { parseSettingsFile } from '../../../src/config/settings-file.ts';
import { createSettingsJsonSchema } from '../../../src/config/settings-json-schema.ts';

const read = (text: string) => parseSettingsFile(text, 'tributary.yaml');
const messagesOf = (text: string) => read(text).mistakes.map(({ message }) => message);

test('names are whole or in parts, and values are texts as variables have them', () => {
  const { values, places, mistakes } = read(
    'port: 8080\nbusiness:\n  url: https://a.example\n  token: { url: https://b.example }\nexplorer: true\ncors_origins: [a, b]\ninstances_api_version: 2023-04-01\nredis:\nmax-depth: 5\notel_traces_sampler_arg: 0.10\nlog_level: ~\n',
  );

  expect(mistakes).toEqual([]);
  expect(values).toEqual({
    PORT: '8080',
    BUSINESS_URL: 'https://a.example',
    BUSINESS_TOKEN_URL: 'https://b.example',
    EXPLORER: 'on',
    CORS_ORIGINS: 'a,b',
    INSTANCES_API_VERSION: '2023-04-01',
    MAX_DEPTH: '5',
    OTEL_TRACES_SAMPLER_ARG: '0.10',
  });
  expect(places.get('BUSINESS_TOKEN_URL')).toBe('tributary.yaml:4');
});

test.each([
  ['business:\n  ulr: x\n', 'tributary.yaml:2: BUSINESS_ULR is not a setting. Did you mean BUSINESS_URL?'],
  ['bussines: {}\n', 'tributary.yaml:1: BUSSINES: expected a text, a number, true, false or a list of them.'],
  ['other: 1\n', 'tributary.yaml:1: OTHER is not a setting. docs/settings.md lists them.'],
  ['port: 1\n\nPORT: 2\n', 'tributary.yaml:3: PORT is set twice, first at tributary.yaml:1. Remove one.'],
  ['port: { low: 1 }\n', 'tributary.yaml:1: PORT_LOW is not a setting. docs/settings.md lists them.'],
  [
    '- port\n',
    'tributary.yaml:1: expected names with values, such as `business_url: https://business.example.com`.',
  ],
])('%j is refused with its line', (text, message) => {
  expect(messagesOf(text)).toEqual([message]);
});

test('what is no YAML is refused with its line', () => {
  expect(messagesOf('port: 1\nbusiness: [\n')[0]).toMatch(/^tributary\.yaml:\d: /);
});

test('an empty file has no settings', () => {
  expect(read('# nothing\n')).toMatchObject({ values: {}, mistakes: [] });
});

test('the JSON Schema has every setting, whole and in parts, and no other name', () => {
  const schema = createSettingsJsonSchema() as {
    additionalProperties: boolean;
    properties: Record<string, { properties?: object; enum?: unknown[] }>;
  };

  const names = Object.keys(settingsSchema.shape).map((name) => name.toLowerCase());
  expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(names));
  expect(schema.properties.business?.properties).toHaveProperty('url');
  expect(schema.properties.redis?.properties).toHaveProperty('url_file');
  expect(schema.properties.explorer?.enum).toEqual(['on', 'off', true, false, null]);
  expect(schema.additionalProperties).toBe(false);
});
