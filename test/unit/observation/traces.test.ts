import { createRequire } from 'node:module';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { startTracing } from '../../../src/observation/traces.ts';

const { cache } = createRequire(import.meta.url);
const isLoaded = () => Object.keys(cache).some((path) => path.includes('@opentelemetry/sdk-trace'));
const start = (settings: Record<string, string>) =>
  startTracing(
    readConfig(settings, () => ''),
    pino({ level: 'silent' }),
  );

test('OpenTelemetry is loaded where the settings name a place for traces, and only there', async () => {
  expect(await start({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' })).toBeNull();
  expect(isLoaded()).toBe(false);

  const tracing = await start({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
  await tracing?.stop();

  expect(tracing).not.toBeNull();
  expect(isLoaded()).toBe(true);
});
