/** The standard API, and its version before (Versioning). */
export const standardRoute = 'v2.0';
export const v1Route = 'v1.0';

/** An API of its own, as a partner installs beside the standard one: `{publisher}/{group}/{version}`. */
export const customRoute = 'contoso/app/v1.0';
