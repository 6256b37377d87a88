import type { Place } from './documents.js';

/** What the server tells the console, as `/pages/console/settings.js`: see src/server/console.ts. */
export declare const settings: {
  readonly graphPath: string;
  /** The sandbox's token, where that is what is asked. */
  readonly token: string | null;
  /** Whether there is a place to sign in. */
  readonly canSignIn: boolean;
  /** The instance to begin with. */
  readonly instance: Place | null;
};
