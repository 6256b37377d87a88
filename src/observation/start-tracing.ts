import type { Logger } from 'pino';
import type { Config } from '../config/config.ts';
import type { Tracing } from './open-telemetry.ts';

/** Starts tracing. Returns null without an OTLP endpoint; OpenTelemetry is then not loaded. */
export async function startTracing(config: Config, log: Logger): Promise<Tracing | null> {
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: own } = config;
  const url = own ?? (base && `${base.replace(/\/$/, '')}/v1/traces`);
  if (!url) return null;
  const { startOpenTelemetry } = await import('./open-telemetry.ts');
  return startOpenTelemetry(url, config, log);
}
