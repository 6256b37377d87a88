import { Agent, type Dispatcher, ProxyAgent, fetch as undiciFetch } from 'undici';
import { getOrCompute } from '../../runtime/memo.ts';
import { verifiedTls } from './connector.ts';
import type { FindProxy } from './proxy.ts';

/** Fetches a URL, through its proxy if it has one. For calls to other servers than the upstreams. */
export type OutboundFetch = (url: string, init: RequestInit) => Promise<Response>;

// One per process, like the global agent of `fetch`, but with a minimum TLS version.
const direct = new Agent({ connect: verifiedTls });

export function createOutboundFetch(findProxy: FindProxy): OutboundFetch {
  const agents = new Map<string, ProxyAgent>();
  return async (url, init) => {
    const proxy = findProxy(url);
    if (!proxy) return fetchThrough(direct, url, init);
    const { origin, authorization } = proxy;
    const createAgent = () =>
      new ProxyAgent({
        uri: origin,
        ...(authorization === null ? {} : { token: authorization }),
        requestTls: verifiedTls,
        proxyTls: verifiedTls,
      });
    return fetchThrough(getOrCompute(agents, origin, createAgent), url, init);
  };
}

const fetchThrough = async (dispatcher: Dispatcher, url: string, init: RequestInit): Promise<Response> =>
  // undici and Node.js declare these types separately.
  (await undiciFetch(url, { ...(init as object), dispatcher })) as unknown as Response;
