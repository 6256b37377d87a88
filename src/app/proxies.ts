import type { Config } from '../config/config.ts';
import { createOutboundFetch, type OutboundFetch } from '../http/wire/outbound-fetch.ts';
import { createFindProxy, type FindProxy } from '../http/wire/proxy.ts';

/** Finds the proxy of a URL by the settings. */
export const createConfiguredFindProxy = (config: Config): FindProxy =>
  createFindProxy({
    httpsProxy: config.HTTPS_PROXY,
    httpProxy: config.HTTP_PROXY,
    noProxy: config.NO_PROXY,
  });

/** Fetches from token endpoints and key sets, through the proxy of the settings. */
export const createConfiguredFetch = (config: Config): OutboundFetch =>
  createOutboundFetch(createConfiguredFindProxy(config));
