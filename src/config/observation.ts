import { z } from 'zod';
import { baseUrl, keyValuePairs, oneOfWords } from './setting-types.ts';

/** Tracing, by OpenTelemetry's own variable names. Its exporter reads further ones itself. */
export const observationSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl()
    .optional()
    .describe(
      'OTLP/HTTP endpoint for traces. `/v1/traces` is appended. Without it and `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`, tracing is off.',
    )
    .meta({ examples: ['http://collector.example:4318'] }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: baseUrl()
    .optional()
    .describe('OTLP/HTTP endpoint for traces, to which nothing is appended.')
    .meta({ examples: ['http://collector.example:4318/v1/traces'] }),
  OTEL_EXPORTER_OTLP_HEADERS: keyValuePairs()
    .optional()
    .describe('Headers sent to the endpoint, as `name=value`, comma-separated.')
    .meta({ examples: ['authorization=Basic%20dXNlcg%3D%3D,x-tenant=one'] }),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, '255 characters at most')
    .default('tributary')
    .describe('Service name in traces.'),
  OTEL_RESOURCE_ATTRIBUTES: keyValuePairs()
    .optional()
    .describe('Further resource attributes, as `name=value`, comma-separated.')
    .meta({ examples: ['deployment.environment.name=production,service.namespace=records'] }),
  OTEL_TRACES_SAMPLER: oneOfWords(
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  )
    .default('parentbased_always_on')
    .describe("Sampler of traces. `parentbased_` follows the caller's `traceparent`."),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'a number, 0 to 1')
    .transform(Number)
    .default(1)
    .describe('Ratio of operations to trace, from 0 to 1, with `traceidratio`.')
    .meta({ examples: ['0.1'] }),
};
