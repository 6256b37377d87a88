import { z } from 'zod';
import { baseUrl, oneOf, pairs } from './kinds.ts';

/** Where traces go. The names are OpenTelemetry's; what else it knows of, such as `OTEL_BSP_*`, it reads itself. */
export const observationSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl()
    .optional()
    .describe(
      'Where traces are sent, as OTLP over HTTP; `/v1/traces` is appended. Without it, and the one that follows, nothing is traced.',
    ),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: baseUrl()
    .optional()
    .describe('The same as a whole address, to which nothing is appended.'),
  OTEL_EXPORTER_OTLP_HEADERS: pairs()
    .optional()
    .describe(
      'Headers that are sent there, as `name=value`, by comma. `OTEL_EXPORTER_OTLP_HEADERS_FILE` names a file that holds them.',
    ),
  OTEL_SERVICE_NAME: z
    .string()
    .max(255, '255 characters at most')
    .default('tributary')
    .describe('What this layer is called in traces.'),
  OTEL_RESOURCE_ATTRIBUTES: pairs()
    .optional()
    .describe('What else is said of it there, as `name=value`, by comma.'),
  OTEL_TRACES_SAMPLER: oneOf(
    'always_on',
    'always_off',
    'traceidratio',
    'parentbased_always_on',
    'parentbased_always_off',
    'parentbased_traceidratio',
  )
    .default('parentbased_always_on')
    .describe(
      'Which operations are traced: `parentbased_` leaves it to the caller who sends a `traceparent`.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .regex(/^(0(\.\d{1,9})?|1(\.0{1,9})?)$/, 'a number, 0 to 1')
    .transform(Number)
    .default(1)
    .describe('How many of them, from 0 to 1, with `traceidratio`.'),
};
