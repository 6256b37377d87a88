import { Agent, type Dispatcher, ProxyAgent, fetch as undiciFetch } from 'undici';
import { verifiedTls } from './connector.ts';
import type { FindProxy } from './proxy.ts';

/** Fetches a URL, through its proxy where it has one. For the few calls that are not to an upstream. */
export type OutboundFetch = (url: string, init: RequestInit) => Promise<Response>;

// One for the process, like that of `fetch`, but with a minimum version of TLS.
const direct = new Agent({ connect: verifiedTls });

export function createOutboundFetch(findProxy: FindProxy): OutboundFetch {
  const agents = new Map<string, ProxyAgent>();
  return async (url, init) => {
    const proxy = findProxy(url);
    if (!proxy) return fetchThrough(direct, url, init);
    const { origin, authorization } = proxy;
    const agent =
      agents.get(origin) ??
      new ProxyAgent({
        uri: origin,
        ...(authorization === null ? {} : { token: authorization }),
        requestTls: verifiedTls,
        proxyTls: verifiedTls,
      });
    agents.set(origin, agent);
    return fetchThrough(agent, url, init);
  };
}

const fetchThrough = async (dispatcher: Dispatcher, url: string, init: RequestInit): Promise<Response> =>
  // undici and Node.js declare these types separately.
  (await undiciFetch(url, { ...(init as object), dispatcher })) as unknown as Response;
