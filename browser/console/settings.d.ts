import type { Place } from './documents.js';

/** Settings that the server gives the console, as `/pages/console/settings.js`: see src/server/pages/console.ts. */
export declare const settings: {
  readonly graphPath: string;
  /** The sandbox's token; null with real upstreams. */
  readonly token: string | null;
  /** Whether sign-in is configured (`AUTH_URL`). */
  readonly canSignIn: boolean;
  /** The instance that the form shows first. */
  readonly instance: Place | null;
};
