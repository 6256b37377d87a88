import type { Json } from '../../support/json.ts';
import { hold } from './audit.ts';
import { documentedSets } from './documented.ts';

/** `document`: as the source document and the sandbox's choices; `dynamics`: as the real service. */
export type Dialect = 'document' | 'dynamics';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined where the answer is not JSON. */
  readonly body: Json;
}

export type Options = Readonly<Record<string, string | number>>;

interface Sending {
  /** Another one than that of the upstream. */
  readonly route?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An entity set of a company, with the columns of its key. */
export interface AuditedSet {
  readonly name: string;
  readonly key: readonly string[];
}

/** A route of area A at some address, for one caller and one company. */
export interface Upstream {
  readonly dialect: Dialect;
  /** The documented sets or, at any other route than v2.0, all of its sets. */
  readonly sets: readonly AuditedSet[];
  /** Path of a record set of the company, or of one record, below the root of the API, percent-encoded. */
  path(set: string, options?: Options, id?: string): string;
  /** `path` is below the root of the API; an absolute one, as in a next link, must be of the same server. */
  send(method: string, path: string, sending?: Sending): Promise<Reply>;
  /** A body that must come with 200. */
  read(path: string, sending?: Sending): Promise<Json>;
  list(set: string, options?: Options): Promise<Json[]>;
  /** How many records pass a filter. */
  count(set: string, filter?: string): Promise<number>;
  /** At most a hundred records of a set, whole; read once. */
  sample(set: string): Promise<readonly Json[]>;
  batch(requests: readonly Json[], headers?: Readonly<Record<string, string>>): Promise<Reply>;
}

export interface Target {
  /** What stands before `/api/{route}`, without a slash at its end. */
  readonly url: string;
  /** Left out for v2.0. */
  readonly route?: string;
  readonly token: string;
  readonly dialect: Dialect;
  /** The first company the caller can read, when left out. */
  readonly company?: string;
  readonly fetch?: typeof fetch;
}

export const standardRoute = 'v2.0';
const standardSets: readonly AuditedSet[] = Object.keys(documentedSets).map((name) => ({
  name,
  key: ['id'],
}));

/** An answer that takes longer counts as none. */
const timeoutMs = 120_000;

/** Rejects when nothing answers there, or no company can be read. */
export async function connect(target: Target): Promise<Upstream> {
  const { url, route: ownRoute = standardRoute, token, dialect, fetch: fetchWith = fetch } = target;
  const samples = new Map<string, Promise<readonly Json[]>>();
  let company = target.company;

  async function send(method: string, path: string, sending: Sending = {}): Promise<Reply> {
    const { route = ownRoute, headers = {}, body } = sending;
    const address = new URL(/^https?:/.test(path) ? path : `${url}/api/${route}/${path}`);
    hold(address.origin === new URL(url).origin, `a link leads to another server, ${address.origin}`);
    const response = await fetchWith(address, {
      method,
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        accept: 'application/json',
        authorization: `Bearer ${token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: parsed(text) };
  }

  async function read(path: string, sending?: Sending): Promise<Json> {
    const reply = await send('GET', path, sending);
    hold(reply.status === 200, `${answerOf(reply)} to GET ${decodeURIComponent(path).slice(0, 200)}`);
    return reply.body;
  }

  async function values(path: string): Promise<Json[]> {
    const body = await read(path);
    hold(Array.isArray(body?.value), `no array 'value' in the answer to GET ${path.slice(0, 200)}`);
    return body.value;
  }

  function path(set: string, options: Options = {}, id?: string): string {
    const query = Object.entries(options).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
    const record = `companies(${company})/${set}${id === undefined ? '' : `(${id})`}`;
    return query.length === 0 ? record : `${record}?${query.join('&')}`;
  }

  /** The sets that `$metadata` says a company has. */
  async function readSets(): Promise<AuditedSet[]> {
    const { status, text } = await send('GET', '$metadata', { headers: { accept: 'application/xml' } });
    hold(status === 200, `${status} to GET $metadata`);
    const types = new Map(
      [...text.matchAll(/<EntityType Name="(\w+)">(.*?)<\/EntityType>/gs)].map(([, name, type]) => [
        name,
        type,
      ]),
    );
    const keyOf = (type = '') =>
      [...(/<Key>.*?<\/Key>/s.exec(types.get(type) ?? '')?.[0] ?? '').matchAll(/Name="(\w+)"/g)].map(
        ([, column = '']) => column,
      );
    const navigations = /<NavigationProperty Name="(\w+)" Type="Collection\([\w.]+\.(\w+)\)"/g;
    return [...(types.get('company') ?? '').matchAll(navigations)].map(([, name = '', type]) => ({
      name,
      key: keyOf(type),
    }));
  }

  company ??= (await values('companies'))[0]?.id;
  hold(company !== undefined, 'there is no company');

  const sets = ownRoute === standardRoute ? standardSets : await readSets();

  return {
    dialect,
    sets,
    path,
    send,
    read,
    list: (set, options) => values(path(set, options)),
    async count(set, filter) {
      const body = await read(path(set, { $count: 'true', $top: 1, ...(filter ? { $filter: filter } : {}) }));
      hold(typeof body['@odata.count'] === 'number', `no number '@odata.count' for ${set}`);
      return body['@odata.count'];
    },
    sample(set) {
      const known = samples.get(set) ?? values(path(set, { $top: 100 }));
      samples.set(set, known);
      return known;
    },
    batch: (requests, headers = {}) => send('POST', '$batch', { headers, body: { requests } }),
  };
}

/** Status and error code of an answer, for a reason. */
export function answerOf({ status, body }: Reply): string {
  return body?.error?.code === undefined ? String(status) : `${status} ${body.error.code}`;
}

function parsed(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
