import { pino } from 'pino';
import type { Config } from '../config/config.ts';
import { hideQuery } from '../config/config-error.ts';
import { UpstreamError } from '../errors.ts';
import { createForwardedAccess } from '../http/auth/access.ts';
import type { OutboundFetch } from '../http/wire/outbound-fetch.ts';
import { findRedisFault } from '../operations/redis-connections.ts';
import { connectUpstreams, createConfiguredFetch } from './connect-upstreams.ts';
import { createAreaCredentials, createAreaTokenEndpoint } from './credentials.ts';

export interface ConnectionCheck {
  readonly name: string;
  readonly address: string;
  /** Whether a server with these settings can use the connection, as far as a check without a caller can tell. */
  readonly isUsable: boolean;
  readonly finding: string;
}

type Finding = Pick<ConnectionCheck, 'isUsable' | 'finding'>;
type Area = 'BUSINESS' | 'MANAGEMENT';

const timeoutMs = 3_000;
const ok = (finding: string): Finding => ({ isUsable: true, finding });
const failed = (finding: string): Finding => ({ isUsable: false, finding });

/** Tries each upstream, token endpoint, key set and Redis once, in parallel, for 3 s each. */
export async function checkConnections(settings: Config): Promise<readonly ConnectionCheck[]> {
  const config = { ...settings, REQUEST_TIMEOUT_MS: timeoutMs, UPSTREAM_ATTEMPTS: 1 };
  const { JWT_JWKS_URL: jwksUrl, REDIS_URL: redisUrl } = config;
  const checks: Promise<ConnectionCheck>[] = [];
  const add = (name: string, address: string | undefined, check: (address: string) => Promise<Finding>) => {
    if (address !== undefined)
      checks.push(check(address).then((finding) => ({ name, address: hideQuery(address), ...finding })));
  };
  add('Business Records (A)', config.BUSINESS_URL, () => checkUpstream(config, 'BUSINESS'));
  add('Areas B and C', config.MANAGEMENT_URL, () => checkUpstream(config, 'MANAGEMENT'));
  add('Tokens for area A', config.BUSINESS_TOKEN_URL, () => checkTokenEndpoint(config, 'BUSINESS'));
  add('Tokens for B and C', config.MANAGEMENT_TOKEN_URL, () => checkTokenEndpoint(config, 'MANAGEMENT'));
  add('Keys of callers', jwksUrl, (url) => checkKeys(config, url));
  add('Redis', redisUrl && `${new URL(redisUrl).protocol}//${new URL(redisUrl).host}`, async () => {
    const fault = await findRedisFault(redisUrl ?? '', timeoutMs);
    return fault === null
      ? ok('accepts writes')
      : failed(`${fault}. Check REDIS_URL and that Redis is running`);
  });
  return Promise.all(checks);
}

async function checkUpstream(config: Config, area: Area): Promise<Finding> {
  const upstream = area === 'BUSINESS' ? 'business' : 'instances';
  const upstreams = connectUpstreams(config, null, null, null, pino({ level: 'silent' }));
  const isOwnToken = config[`${area}_AUTH`] === 'client-credentials';
  const own = isOwnToken ? createAreaCredentials(config, area, 'check').forServer(upstream) : null;
  // Without a caller there is no valid token. An upstream that rejects this one can be reached.
  const access = own ?? createForwardedAccess(upstream, 'connection-check', { principal: 'check' });
  const { SUBSCRIPTIONS_API_VERSION: version } = config;
  const managementPath = version === 'off' ? '/' : `/subscriptions?api-version=${version}`;
  const path = area === 'BUSINESS' ? '/api/v2.0/companies?$top=1' : managementPath;
  const advice =
    area === 'BUSINESS'
      ? 'the path of BUSINESS_URL'
      : 'the path of MANAGEMENT_URL, or set SUBSCRIPTIONS_API_VERSION to off if it has no such list';
  try {
    const { status, body } = await upstreams[upstream].client.send({ method: 'GET', path, access });
    if (path === '/' || Array.isArray((body as { value?: unknown } | null)?.value))
      return ok(`responded with ${status}`);
    return failed(`responded with ${status}, but with no list. Check the path of ${area}_URL`);
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const { status, message, cause } = error;
    if (isOwnToken && status === null && cause === undefined)
      return failed('not tried: no token was granted');
    if (status === null) return failed(`${message} ${describeCause(cause)}Check ${area}_URL`);
    if (status >= 500) return failed(`responded with ${status}: it is not available`);
    if (path !== '/' && isWrongServer(status))
      return failed(`responded with ${status} to ${path.replace(/\?.*/, '')}. Check ${advice}`);
    const isRefused = !isOwnToken && (status === 401 || status === 403);
    return ok(`responded with ${status}${isRefused ? ', as without the token of a caller' : ''}`);
  } finally {
    await Promise.all(Object.values(upstreams).map(({ client }) => client.close()));
  }
}

// The upstream has both lists, and rejects a token with 401 or 403. So these statuses come from another server.
const isWrongServer = (status: number) => status < 400 || [404, 405, 410].includes(status);

async function checkTokenEndpoint(config: Config, area: Area): Promise<Finding> {
  const url = config[`${area}_TOKEN_URL`] ?? '';
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const fetch = createConfiguredFetch(config);
  const found = await tryFetch(fetch, url, { method: 'POST', headers, body: 'grant_type=none' });
  if ('fault' in found) return failed(`${found.fault}Check ${area}_TOKEN_URL`);
  const { status } = found.response;
  await found.response.body?.cancel();
  if (status >= 500 || status === 404) return failed(`responded with ${status}. Check ${area}_TOKEN_URL`);
  const needsOwnToken =
    config[`${area}_AUTH`] === 'client-credentials' || (area === 'BUSINESS' && config.PUBLIC_URL);
  let reason = '';
  const endpoint = needsOwnToken
    ? createAreaTokenEndpoint(config, area, (cause) => {
        reason = ` (${cause})`;
      })
    : null;
  if (endpoint === null) return ok('reachable');
  return endpoint.requestOwnToken().then(
    () => ok('granted a token'),
    () =>
      failed(`granted no token${reason}. Check ${area}_CLIENT_ID, ${area}_CLIENT_SECRET and ${area}_SCOPE`),
  );
}

async function checkKeys(config: Config, url: string): Promise<Finding> {
  const found = await tryFetch(createConfiguredFetch(config), url, {});
  if ('fault' in found) return failed(`${found.fault}Check JWT_JWKS_URL`);
  const { response } = found;
  const body = (await response.json().catch(() => null)) as { keys?: unknown } | null;
  if (response.status !== 200) return failed(`responded with ${response.status}. Check JWT_JWKS_URL`);
  if (!Array.isArray(body?.keys)) return failed('responded with no key set (RFC 7517). Check JWT_JWKS_URL');
  return body.keys.length > 0
    ? ok(`keys: ${body.keys.length}`)
    : failed('has no keys: no token can be verified');
}

async function tryFetch(
  send: OutboundFetch,
  url: string,
  init: RequestInit,
): Promise<{ readonly response: Response } | { readonly fault: string }> {
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    return { response: await send(url, { ...init, redirect: 'manual', signal }) };
  } catch (error) {
    const { name, cause } = error as Error;
    if (name === 'TimeoutError') return { fault: `did not respond within ${timeoutMs / 1_000} s. ` };
    return { fault: `cannot be reached. ${describeCause(cause)}` };
  }
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nothing listens there',
  ENOTFOUND: 'The host name is unknown',
  EAI_AGAIN: 'The host name cannot be resolved',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'Its certificate is self-signed',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Its certificate is of an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'Its certificate is of an unknown authority',
  CERT_HAS_EXPIRED: 'Its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'Its certificate is for another host',
};

const describeCause = (cause: unknown): string => {
  const { code, message } = (cause ?? {}) as { code?: string; message?: string };
  if (code === undefined) return message === undefined ? '' : `(${message}) `;
  const reason = reasons[code];
  return reason === undefined ? `(${code}) ` : `${reason} (${code}). `;
};
