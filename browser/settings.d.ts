/** Sign-in settings that the server gives its pages, as `settings.js`: see src/server/pages/sign-in.ts. */
export declare const settings: {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  readonly clientId: string;
  readonly scope: string;
  /** Redirect URI path. */
  readonly redirectPath: string;
};
