import type { ReadingOptions } from '../../../src/http/exchange.ts';
import type { WireOptions } from '../../../src/http/wire/connector.ts';

/** Connections as they are without any setting. */
export const plainWire: WireOptions = {
  maxConnectionAgeMs: 300_000,
  proxy: null,
  clientCertificate: null,
};

/** Connects directly, without a certificate. */
export const plainConnector = { timeoutMs: 5_000, tunnelProxy: null, clientCertificate: null };

/** Reads whole responses. */
export const plainReading: ReadingOptions = {
  isStreamed: false,
  maxBytes: 1_000_000,
};
