/** Settings that the server gives the explorer, as `settings.js` beside it: see src/server/pages/explorer.ts. */
export declare const settings: {
  readonly graphPath: string;
  /** Path of the console; null where it is not served. */
  readonly consolePath: string | null;
  /** Where the sandbox shows the requests that it received; null without a sandbox. */
  readonly journalUrl: string | null;
  /** The sandbox's token; null with real upstreams. */
  readonly token: string | null;
  /** Whether sign-in is configured (`AUTH_URL`). */
  readonly canSignIn: boolean;
  readonly examples: readonly {
    readonly name: string;
    readonly query: string;
    readonly variables: Readonly<Record<string, unknown>>;
  }[];
};
