import type { buildConnector } from 'undici';
import type { HttpProxy } from './proxy.ts';

/** How connections to an upstream are made and used. */
export interface WireOptions {
  /** Whether to request compressed responses. */
  readonly isCompressionRequested: boolean;
  /** An older HTTP connection takes no further call, and is closed when it is idle. */
  readonly maxConnectionAgeMs: number;
  /** Null for none. */
  readonly proxy: HttpProxy | null;
  /** Shown to an upstream that asks for it; null for none. */
  readonly clientCertificate: ClientCertificate | null;
}

/** Opens a connection. Returns the function that cancels that: then the callback is not called. */
export type Connect = (target: buildConnector.Options, callback: buildConnector.Callback) => () => void;

/** A certificate with its chain, and its private key, in PEM. */
export interface ClientCertificate {
  readonly cert: string;
  readonly key: string;
}
