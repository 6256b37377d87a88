import { entitySets } from './entity-sets.ts';
import { standardRoute, v1Route } from './routes.ts';

/** The routes that the service has: the standard API, its version before, and those of the sets. */
const servedRoutes: readonly string[] = [
  ...new Set([standardRoute, v1Route, ...entitySets.map(({ route = standardRoute }) => route)]),
];

/** Splits a path of area A into its route and the path below it; undefined for a route that the service does not have. */
export function splitRoute(path: string): { readonly route: string; readonly rest: string } | undefined {
  const route = servedRoutes.find((one) => path === `/api/${one}` || path.startsWith(`/api/${one}/`));
  return route === undefined ? undefined : { route, rest: path.slice(`/api/${route}/`.length) };
}
