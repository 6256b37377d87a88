/** What the server tells its pages about signing in, as `/pages/settings.js`: see src/server/sign-in.ts. */
export declare const settings: {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
  /** Where the authorization server leads back to. */
  readonly redirectPath: string;
  /** Where requests to the graph carry the token. */
  readonly graphPaths: readonly string[];
};
