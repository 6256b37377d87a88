import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { readConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';
import { parseSettingsFile } from '../../../src/config/files/settings-file.ts';
import { settingsSchema } from '../../../src/config/settings.ts';
import { createSettingsJsonSchema } from '../../../src/config/settings-json-schema.ts';
import { listExamples } from '../../../src/config/settings-page.ts';

const schema = createSettingsJsonSchema();
const validator = z.fromJSONSchema(schema);
const isValid = (yaml: string) => validator.safeParse(parse(yaml)).success;

function isTakenByCheck(yaml: string): boolean {
  const { values, mistakes } = parseSettingsFile(yaml, 'tributary.yaml');
  try {
    readConfig(values, () => 'redis://redis.example');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return false;
  }
  return mistakes.length === 0;
}

describe('the JSON Schema of tributary.yaml', () => {
  test.each([
    'port: 8080',
    'port: "8080"',
    'port:',
    'port: ""',
    'admin_port: off',
    'admin_port: false',
    'PORT: 1',
    'log-level: info',
    'Log_Level: info',
    'business: { url: https://a.example }',
    'business: { url: "https://a.example/{tenant}", url_values: "tenant=header:x-t(a)" }',
    'business: { token: { url: https://a.example/token }, client-id: 7 }',
    'business_token: { url: https://a.example }',
    'upstream_calls: { per_caller: 7 }',
    'max: { requests: 9 }',
    'max: { requests: { per_caller: 7 } }',
    'redis: { url_file: /run/secrets/redis }',
    'redis_url: { file: /run/secrets/redis }',
    'business:',
    'business: {}',
    'explorer: true',
    'upstream_compression: true',
    'compile_after: never',
    'compile_after: 3',
    'upstream_quota: 6000/300',
    'upstream_quota: false',
    'otel_traces_sampler_arg: 0.5',
    'cors_origins: [https://a.example, https://b.example]',
    'cors_origins: https://a.example',
    'cors_origins: []',
    'management_scopes: []',
    'management_scopes: [a]',
    'no_proxy: [a.example, b.example]',
    'record_types: [a.json]',
    'otel_resource_attributes: [a=b, c=d]',
    '# nothing',
    'port: "0000000000000000080"',
    'management_url: HTTPS://a.example',
    'operation_secrets: [a-secret-of-a-file, another-secret-of-a-file]',
    'instances_api_version: 2023-04-01',
    'auth_scope: a b',
  ])('takes what check takes: %s', (yaml) => {
    expect(isTakenByCheck(yaml)).toBe(true);
    expect(isValid(yaml)).toBe(true);
  });

  test.each([
    'port: 70000',
    'port: -1',
    'port: 4321.5',
    'port: true',
    'port: [1, 2]',
    'max_depth: [1]',
    'mcp: [on]',
    'port: []',
    'auth_scope: [a]',
    'business_client_secret: [a, b]',
    'management_scopes: [[a]]',
    'management_scopes: [a, ~]',
    'management_scopes: [{ a: b }]',
    'port: "700000"',
    'max_depth: "1000"',
    'port: { low: 1 }',
    'prot: 1',
    'business: { ulr: https://a.example }',
    'business: { token: { ulr: https://a.example } }',
    'business: [a]',
    'business_url: [https://a.example, https://b.example]',
    'business_url: 5',
    'business_url: a.example',
    'management_url: "https://a.example/{tenant}"',
    'explorer: yes please',
    'explorer: 1',
    'log_level: trace',
    'log_level: true',
    'compile_after: always',
    'otel_traces_sampler_arg: 2',
    'file_url_seconds: 86401',
    'max_cost: 0',
    'subscriptions_api_version: "no"',
    'cors_origins: true',
  ])('refuses what check refuses: %s', (yaml) => {
    expect(isTakenByCheck(yaml)).toBe(false);
    expect(isValid(yaml)).toBe(false);
  });

  const examples = Object.entries(settingsSchema.shape).flatMap(([name, rule]) =>
    listExamples(rule).map((example) => `${name.toLowerCase()}: ${JSON.stringify(example)}`),
  );
  test.each(examples)('takes the example %s', (yaml) => {
    expect(isValid(yaml)).toBe(true);
  });

  const defaults = Object.entries(settingsSchema.shape).flatMap(([name, rule]) => {
    const { data } = rule.safeParse(undefined);
    return data === undefined || Array.isArray(data) ? [] : [`${name.toLowerCase()}: ${data}`];
  });
  test.each([...defaults, 'max_response_bytes: 1024'])('takes %s, a default, without quotes', (yaml) => {
    expect(isTakenByCheck(yaml)).toBe(true);
    expect(isValid(yaml)).toBe(true);
  });

  test('has every setting for editors to complete, whole and in parts', () => {
    const { properties, $defs } = schema as Record<
      'properties' | '$defs',
      Record<string, { properties?: object }>
    >;

    const names = Object.keys(settingsSchema.shape).map((name) => name.toLowerCase());
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(names));
    expect(properties.business).toEqual({ $ref: '#/$defs/business_' });
    expect($defs.business_?.properties).toMatchObject({
      url: { anyOf: [{ $ref: '#/$defs/business_url' }, { $ref: '#/$defs/business_url_' }] },
      token_url: { $ref: '#/$defs/business_token_url' },
    });
  });
});
