/** Sign-in settings that the server gives its pages, as `/pages/settings.js`: see src/server/pages/sign-in.ts. */
export declare const settings: {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
  /** Redirect URI path. */
  readonly redirectPath: string;
  /** Paths of the graph: requests to them carry the token. */
  readonly graphPaths: readonly string[];
};
