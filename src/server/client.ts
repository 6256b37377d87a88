/** The program that sends a request, as it names itself. Nothing is allowed or refused by it. */
export interface Client {
  readonly name: string;
  /** Null where it names none. */
  readonly version: string | null;
}

// Apollo Client, Apollo Router and Hive Gateway send these.
const nameHeader = 'apollographql-client-name';
const versionHeader = 'apollographql-client-version';

// No white space but blanks, and short: a JWT is longer.
const namePattern = /^[\w@/.:+ -]{1,64}$/;

/** The client of a request by its headers, or by the `connection_init` payload of a WebSocket. Null without a valid name. */
export function readClient(from: Readonly<Record<string, unknown>>): Client | null {
  const name = from[nameHeader];
  if (typeof name !== 'string' || !namePattern.test(name)) return null;
  const version = from[versionHeader];
  return { name, version: typeof version === 'string' && namePattern.test(version) ? version : null };
}
