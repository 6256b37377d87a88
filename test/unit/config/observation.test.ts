import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config/config.ts';
import { ConfigError } from '../../../src/config/config-error.ts';

const read = (settings: Record<string, string>, file = '') => readConfig(settings, () => file);

test('headers and attributes are pairs, by comma, with values that may be percent-encoded', () => {
  const { OTEL_EXPORTER_OTLP_HEADERS: headers, OTEL_RESOURCE_ATTRIBUTES: attributes } = read({
    OTEL_EXPORTER_OTLP_HEADERS: 'api-key=a%20b%3D, x-tenant=42',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test,empty=',
  });

  expect(headers).toEqual({ 'api-key': 'a b=', 'x-tenant': '42' });
  expect(attributes).toEqual({ 'deployment.environment': 'test', empty: '' });
});

test.for(['hunter2', 'api-key', '=hunter2', 'a=hunter2,', 'a=hunter2%', 'a=hunter2%0d%0ab:c', 'a b=hunter2'])(
  'headers that are none (%s) are refused without showing them',
  (headers) => {
    for (const refused of [
      () => read({ OTEL_EXPORTER_OTLP_HEADERS: headers }),
      () => read({ OTEL_EXPORTER_OTLP_HEADERS_FILE: '/headers' }, headers),
    ]) {
      expect(refused).toThrow(ConfigError);
      expect(refused).toThrow(/^OTEL_EXPORTER_OTLP_HEADERS: expected `name=value`[^2]*$/);
    }
  },
);

test.for([
  ['0', 0],
  ['0.25', 0.25],
  ['1.0', 1],
] as const)('a share of %s is one', ([text, share]) => {
  expect(read({ OTEL_TRACES_SAMPLER_ARG: text }).OTEL_TRACES_SAMPLER_ARG).toBe(share);
});

test.for([
  ['OTEL_TRACES_SAMPLER_ARG', '1.5', 'a number, 0 to 1'],
  ['OTEL_TRACES_SAMPLER_ARG', 'half', 'a number, 0 to 1'],
  ['OTEL_TRACES_SAMPLER', 'always', '`parentbased_traceidratio`'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318', 'an http or https URL'],
] as const)('%s=%s is refused, and told what it may be', ([variable, value, expected]) => {
  expect(() => read({ [variable]: value })).toThrow(expected);
});
