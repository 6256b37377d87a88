import type { ReadingOptions } from '../../../src/http/exchange.ts';
import type { WireOptions } from '../../../src/http/wire/connector.ts';

/** Connections as they are without any setting, to an upstream on this machine. */
export const plainWire: WireOptions = {
  isCompressionRequested: false,
  maxConnectionAgeMs: 300_000,
  proxy: null,
  clientCertificate: null,
};

/** Connects directly, without a certificate. */
export const plainConnector = { timeoutMs: 5_000, tunnelProxy: null, clientCertificate: null };

/** Reads responses that are not compressed. */
export const plainReading: ReadingOptions = {
  isStreamed: false,
  isCompressionRequested: false,
  maxBytes: 1_000_000,
  createBodyFilter: undefined,
};
