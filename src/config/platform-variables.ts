/** What OpenTelemetry's exporter reads from the environment itself. */
const ofExporter =
  /^OTEL_EXPORTER_OTLP_(TRACES_HEADERS|(TRACES_)?(TIMEOUT|COMPRESSION|CERTIFICATE|CLIENT_CERTIFICATE|CLIENT_KEY))$/;

/** A warning about variables of OpenTelemetry that others read, such as `OTEL_SDK_DISABLED`. */
export function warnOfTracing(names: Iterable<string>, known: ReadonlySet<string>): readonly string[] {
  const ignored = [...names].filter(
    (name) => name.startsWith('OTEL_') && !known.has(name) && !ofExporter.test(name),
  );
  return ignored.length === 0
    ? []
    : [
        `Without effect: ${ignored.sort().join(', ')}. Traces are OTLP over HTTP, and on where OTEL_EXPORTER_OTLP_ENDPOINT is set.`,
      ];
}
