/** The standard API, and its version before (Versioning). */
export const standardRoute = 'v2.0';
export const v1Route = 'v1.0';

/** An API of its own, as a partner installs beside the standard one: `{publisher}/{group}/{version}`. */
export const customRoute = 'contoso/app/v1.0';

const routes: readonly string[] = [standardRoute, v1Route, customRoute];

/** Splits a path of area A into its route and the path below it; undefined for a route that the service does not have. */
export function splitRoute(path: string): { readonly route: string; readonly rest: string } | undefined {
  const route = routes.find((one) => path === `/api/${one}` || path.startsWith(`/api/${one}/`));
  return route === undefined ? undefined : { route, rest: path.slice(`/api/${route}/`.length) };
}
