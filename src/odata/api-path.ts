/*
 * Paths of area A: `/api/{route}/companies({id})/{entity set}…`, where a route is `v2.0`, or
 * `{publisher}/{group}/{version}`. No version and slash follow an entity set, so a path has one root.
 */

const rootPattern =
  /^\/api\/(?:[^/()?]{1,100}\/[^/()?]{1,100}\/(?:v\d{1,3}\.\d{1,3}|beta)|v\d{1,3}\.\d{1,3}|beta)(?=\/)/;
const companyStart = '/companies(';

/** The root of an API, such as `/api/v2.0`. */
export const apiRoot = (route: string): string => `/api/${route}`;

/** The root that a path is below: a batch addresses only paths below its own. */
export function apiRootOf(path: string): string {
  const [root] = rootPattern.exec(path) ?? [];
  if (root === undefined) throw new TypeError('a path of area A begins with its API root');
  return root;
}

/** The id of the company that a path is below; null where it is below none. */
export function companyIdIn(path: string): string | null {
  const below = path.slice(apiRootOf(path).length);
  return below.startsWith(companyStart) ? below.slice(companyStart.length, below.indexOf(')')) : null;
}
