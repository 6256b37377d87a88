import { afterAll, beforeAll, beforeEach } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/sandbox.ts';
import { sandboxCompanyId } from '../../sandbox/seed.ts';
import type { Json } from '../support/json.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Json;
}

interface Caller {
  readonly url: string;
  send(method: string, path: string, options?: SendOptions): Promise<Reply>;
  get(path: string, options?: SendOptions): Promise<Reply>;
  /** The records of a collection; fails unless the answer is 200. */
  list(path: string): Promise<Json[]>;
  /** How many records a collection has. */
  count(path: string, options?: SendOptions): Promise<number>;
  patch(path: string, etag: string | undefined, body: unknown): Promise<Reply>;
  post(path: string, body?: unknown, options?: SendOptions): Promise<Reply>;
  /** The first record of a set of the default company that passes a filter. */
  first(set: string, filter?: string): Promise<Json>;
  batch(requests: unknown, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  fault(fault: unknown): Promise<Reply>;
  /** The requests since the last reset. */
  journal(): Promise<Json[]>;
  /** The records of a set as they are stored. */
  stored(set?: string): Promise<Json[]>;
}

interface SendOptions {
  readonly token?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Path of the default company. */
export const company = `/api/v2.0/companies(${sandboxCompanyId})`;

/** The same below the root of the API, as a part of a batch names it. */
export const companyPart = `companies(${sandboxCompanyId})`;

export const companyV1 = `/api/v1.0/companies(${sandboxCompanyId})`;

/** A sandbox for one test file, put back to its start before each test. */
export function useSandbox(options: SandboxOptions = {}): Caller {
  let sandbox: Sandbox;

  beforeAll(async () => {
    sandbox = await startSandbox(options);
  });
  beforeEach(async () => {
    await fetch(`${sandbox.url}/sandbox/reset`, { method: 'POST' });
  });
  afterAll(() => sandbox.stop());

  async function send(method: string, path: string, given: SendOptions = {}): Promise<Reply> {
    const response = await fetch(path.startsWith('http') ? path : sandbox.url + path, {
      method,
      headers: { authorization: `Bearer ${given.token ?? 'clerk'}`, ...given.headers },
      ...(given.body === undefined ? {} : { body: given.body }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson && text !== '' ? JSON.parse(text) : undefined,
    };
  }

  function sendJson(method: string, path: string, body: unknown, given: SendOptions = {}): Promise<Reply> {
    const headers = { 'content-type': 'application/json', ...given.headers };
    return send(method, path, { ...given, headers, body: JSON.stringify(body) });
  }

  const get = (path: string, given?: SendOptions) => send('GET', path, given);
  const post = (path: string, body?: unknown, given?: SendOptions) =>
    body === undefined ? send('POST', path, given) : sendJson('POST', path, body, given);

  async function list(path: string): Promise<Json[]> {
    const reply = await get(path);
    if (reply.status !== 200) throw new Error(`expected 200 of ${path}, got ${reply.status} ${reply.text}`);
    return reply.body.value;
  }

  return {
    get url() {
      return sandbox.url;
    },
    send,
    get,
    list,
    count: async (path, given) =>
      (await send('GET', `${path}?$count=true&$top=0`, given)).body['@odata.count'],
    patch: (path, etag, body) =>
      sendJson('PATCH', path, body, etag === undefined ? {} : { headers: { 'if-match': etag } }),
    post,
    first: async (set, filter) =>
      (await list(`${company}/${set}?$top=1${filter === undefined ? '' : `&$filter=${filter}`}`))[0],
    batch: (requests, headers = {}) =>
      post('/api/v2.0/$batch', { requests }, { headers: { accept: 'application/json', ...headers } }),
    fault: (fault) => post('/sandbox/faults', fault),
    journal: async () => (await get('/sandbox/journal')).body.requests,
    stored: async (set = 'customers') => (await get(`/sandbox/records?set=${set}`)).body.records,
  };
}
