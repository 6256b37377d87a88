/** Settings that the server gives the console, as `settings.js` beside it: see src/server/pages/console.ts. */
export declare const settings: {
  readonly graphPath: string;
  /** Path of the explorer; null where it is not served. */
  readonly explorerPath: string | null;
  /** The sandbox's token; null with real upstreams. */
  readonly token: string | null;
  /** Whether sign-in is configured (`AUTH_URL`). */
  readonly canSignIn: boolean;
  /** The subscription that is chosen at the first visit. */
  readonly subscriptionId: string | null;
  /** Which systems the console acts on. */
  readonly environment: readonly { readonly areas: string; readonly address: string }[];
};
