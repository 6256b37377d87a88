import { randomBytes } from 'node:crypto';
import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { createExpansionPlanning } from '../business/reading/expansions.ts';
import { createFileAddresses } from '../business/reading/files.ts';
import { createSharedReads, type RecentWrites } from '../business/reading/reads.ts';
import { getDialect, primaryReadHeaders } from '../business/record-sets/dialect.ts';
import { listWatched, listWatchedSets } from '../business/records/watched-records.ts';
import { createClientSuppliedIds } from '../business/writing/client-supplied-ids.ts';
import { mergeChanges } from '../changes/change-poll.ts';
import { createChangeWebhooks } from '../changes/webhooks.ts';
import type { Config } from '../config/config.ts';
import { InputError } from '../errors.ts';
import { createCursorCodec } from '../graph/cursor.ts';
import { ResponseMeter } from '../graph/response-meter.ts';
import { mergeChangedEvents } from '../health/event-list.ts';
import type { WatchedEvent } from '../health/event-reads.ts';
import { createPrincipalHasher } from '../http/auth/bearer.ts';
import type { UpstreamClient } from '../http/client.ts';
import { createSubscriptionLimits } from '../instances/actions/action-many.ts';
import { createOperationHandles } from '../instances/operations/operation-handle.ts';
import { parseSharedStep } from '../instances/operations/operation-status.ts';
import { createKeptLists } from '../instances/resources/resource-reads.ts';
import { createMetrics, type Metrics } from '../observation/metrics.ts';
import { createOperationObserver } from '../observation/operation-observer.ts';
import { startTracing } from '../observation/start-tracing.ts';
import { createMemoryBus } from '../operations/bus.ts';
import { createFollow } from '../operations/follow.ts';
import { createRedisBus } from '../operations/redis-bus.ts';
import { connectRedis } from '../operations/redis-connections.ts';
import { createRedisStartedOperations } from '../operations/redis-started-operations.ts';
import { createRedisTokenBuckets, type RedisTokenBuckets } from '../operations/redis-token-buckets.ts';
import { createStartedOperations } from '../operations/started-operations.ts';
import { createExecutor } from '../server/execution/executor.ts';
import { requireScopes } from '../server/guard/authorization.ts';
import { createDocuments } from '../server/guard/documents.ts';
import { createRequestRateLimiter, type RequestRateLimiter } from '../server/load/admission.ts';
import { createByteAccounts, responseBytesLimits } from '../server/load/unread-bytes.ts';
import type { PagesOptions } from '../server/pages/pages.ts';
import { filesPath, webhookPath } from '../server/paths.ts';
import type { OnRejected } from '../server/rejection.ts';
import { type Server, startServer } from '../server/server.ts';
import { createService, type Service } from '../server/service.ts';
import type { OpenFile } from '../server/transports/files.ts';
import { connectUpstreams } from './connect-upstreams.ts';
import { type AreaCredentials, createAreaCredentials } from './credentials.ts';
import { createConfiguredGuard, getDocumentLimits, getRequiredManagementScopes } from './guard.ts';
import { joinRecentWrites, joinSharedThrottling } from './replicas.ts';
import { createContextFactory } from './request-context.ts';
import { loadGraphModel } from './schema/graph-model.ts';
import { createSchema } from './schema/schema.ts';
import { type GraphModel, visibleRecordTypes } from './schema/sdl.ts';

/** The graph and its dependencies, without a server. */
export interface Graph {
  readonly service: Service;
  readonly schema: GraphQLSchema;
  readonly model: GraphModel;
  readonly metrics: Metrics | null;
  /** Closes all connections except those of callers. */
  close(): Promise<void>;
}

/** Starts the server of a graph, and stops both together. */
export async function startTributary(
  config: Config,
  pages: PagesOptions | null,
  log: Logger,
  mode: 'dev' | 'serve' = 'serve',
): Promise<Server> {
  const { service, metrics, close } = await createGraph(config, pages, log, mode);
  const server = await startServer(service, {
    host: config.HOST,
    port: config.PORT,
    managementHeader: config.MANAGEMENT_TOKEN_HEADER,
    origins: config.CORS_ORIGINS,
    admin: config.ADMIN_PORT === 'off' ? null : { host: config.HOST, port: config.ADMIN_PORT },
    observer: metrics,
    drain: { delayMs: config.DRAIN_DELAY_MS, timeoutMs: config.DRAIN_TIMEOUT_MS },
    log,
  });
  return {
    ...server,
    async stop() {
      await server.stop();
      await close();
    },
  };
}

/**
 * Creates the graph. Reads nothing but its arguments, and `close` releases everything. In `dev`, on a loopback address,
 * unverified callers may query `upstreams`. An embedded graph has no metrics.
 */
export async function createGraph(
  config: Config,
  pages: PagesOptions | null,
  log: Logger,
  mode: 'dev' | 'serve' | 'embedded',
): Promise<Graph> {
  const model = await loadGraphModel(config);
  const watchedRecordTypes = listWatched(visibleRecordTypes(model));
  const redis = config.REDIS_URL ? connectRedis({ url: config.REDIS_URL, log }) : null;
  const bus = redis
    ? createRedisBus({
        connections: redis,
        onListenerError: (err) => log.error({ err }, 'A message of another replica could not be processed.'),
      })
    : createMemoryBus();
  const tokenBuckets = redis && createRedisTokenBuckets(redis.commands);
  const throttling = await joinSharedThrottling(bus);
  const metrics =
    mode === 'embedded' || config.ADMIN_PORT === 'off' ? null : createMetrics(redis?.isConnected ?? null);
  const tracing = await startTracing(config, log);
  const upstreams = connectUpstreams(config, throttling, tokenBuckets, metrics, log);
  await throttling.restore();
  const secrets = config.OPERATION_SECRETS ?? [randomBytes(32).toString('base64')];
  const [secret = ''] = secrets;
  const credentials = {
    business: createAreaCredentials(config, 'BUSINESS', secret, log),
    management: createAreaCredentials(config, 'MANAGEMENT', secret, log),
  };
  const cursors = createCursorCodec(secrets);
  const recentWrites = await joinRecentWrites(bus, config);
  const dialect = getDialect(config.BUSINESS_DIALECT, { hasItemV1: config.BUSINESS_ITEM_V1 === 'on' });
  const files = createConfiguredFiles(config, {
    secrets,
    client: upstreams.business.client,
    credentials: credentials.business,
    recentWrites,
  });
  const business = {
    client: upstreams.business.client,
    recordTypes: model.recordTypes,
    inFlight: createSharedReads(),
    dialect,
    recentWrites,
    addedParameters: listParameters(config),
    files: files.addresses,
    cursors,
    defaultCompanyId: config.BUSINESS_COMPANY_ID ?? null,
    planExpansions: createExpansionPlanning({
      dialect,
      onRefused: (refusal) => log.warn(refusal, expansionRefusedMessage),
    }),
    clientSuppliedIds: createClientSuppliedIds(config.BUSINESS_CHOSEN_IDS, (set) =>
      log.warn(
        set,
        'The upstream does not keep client-supplied ids in this entity set and company. Creates are not retried there.',
      ),
    ),
  };
  const [namespace = '', segment = '', apiVersion = ''] = config.INSTANCES_TYPE.split(/[/@]/);
  const instances = {
    client: upstreams.instances.client,
    managementUrl: config.MANAGEMENT_URL ?? 'http://localhost',
    namespace,
    segment,
    apiVersion,
    keptLists: createKeptLists(),
    cursors,
    handles: createOperationHandles(secrets),
    follow: createFollow({
      pollMs: config.OPERATION_POLL_MS,
      maxPollMs: config.MAX_OPERATION_POLL_MS,
      replicas: { bus, parseValue: parseSharedStep },
    }),
    started: createStartedOperations(redis && createRedisStartedOperations(redis.commands)),
    inFlight: new Map(),
    subscriptionLimits: createSubscriptionLimits(),
    writeTimeoutMs: config.WRITE_TIMEOUT_MS,
  };
  const [healthNamespace = '', healthApiVersion = ''] = config.HEALTH_PROVIDER.split('@');
  const health = {
    client: upstreams.health.client,
    namespace: healthNamespace,
    apiVersion: healthApiVersion,
    billingOperation: config.HEALTH_BILLING_OPERATION ?? null,
    plainReadSupport: { isSupported: null },
    cursors,
    followEvent: createFollow<WatchedEvent>({ pollMs: config.POLL_HEALTH_MS }),
    followList: createFollow({ pollMs: config.POLL_HEALTH_MS, merge: mergeChangedEvents }),
    subscriptionsApiVersion:
      config.SUBSCRIPTIONS_API_VERSION === 'off' ? null : config.SUBSCRIPTIONS_API_VERSION,
  };
  const webhookAccess = credentials.business.forServer('business');
  // Null without a public URL, or without credentials to create subscriptions.
  const webhooks =
    config.BUSINESS_URL && config.PUBLIC_URL && webhookAccess
      ? createChangeWebhooks({
          client: business.client,
          access: webhookAccess,
          notificationUrl: config.PUBLIC_URL.replace(/\/$/, '') + webhookPath,
          secrets,
          sets: listWatchedSets(watchedRecordTypes),
          bus,
          pollMs: config.POLL_RECORDS_MS,
          log,
        })
      : null;
  const schema = createSchema(model);
  const introspection = config.PAGES !== 'off';
  const responseBytes = createByteAccounts(responseBytesLimits);
  const executor = createExecutor({
    schema,
    createContext: createContextFactory({
      business,
      instances,
      health,
      watchedRecordTypes,
      changes: {
        follow: createFollow({ pollMs: config.POLL_RECORDS_MS, merge: mergeChanges }),
        pollMs: config.POLL_RECORDS_MS,
        webhooks,
      },
      upstreams,
      showsUpstreamsToAll: mode === 'dev',
      credentials,
      managementScopes: getRequiredManagementScopes(config),
    }),
    suggestsNames: introspection,
    createMeter: ({ caller, responseLimits, maxRows }) =>
      new ResponseMeter(responseLimits, responseBytes.openAccount(caller), maxRows),
    observer: createOperationObserver({ metrics, tracing, showsReasons: mode === 'dev', log }),
    log,
  });
  const documents = createDocuments({ ...getDocumentLimits(config), schema, introspection });
  const onRejected: OnRejected = (code, requestId, reason) => {
    metrics?.countRefusal(code);
    // Load causes many rejections, which a warning of their own reports.
    const level = code === 'RATE_LIMITED' || code === 'OVERLOADED' ? 'info' : 'warn';
    log[level]({ requestId, code, ...(mode === 'dev' && { reason }) }, 'refused');
  };
  const service = await createService({
    schema,
    executor,
    documents,
    guard: createConfiguredGuard(config, documents, onRejected, log),
    origins: config.CORS_ORIGINS,
    publicOrigin: config.PUBLIC_URL ? new URL(config.PUBLIC_URL).origin : null,
    isLocalOnly:
      config.JWT_ISSUER === undefined &&
      [config.BUSINESS_AUTH, config.MANAGEMENT_AUTH].includes('client-credentials'),
    limits: {
      maxSockets: config.MAX_SOCKETS,
      maxSocketsPerCaller: config.MAX_SOCKETS_PER_CALLER,
      maxSubscriptions: config.MAX_SUBSCRIPTIONS,
      maxRequests: config.MAX_REQUESTS,
      maxRequestsPerCaller: config.MAX_REQUESTS_PER_CALLER,
      maxLoopDelayMs: config.MAX_LOOP_DELAY_MS,
    },
    upstreamCount: [config.BUSINESS_URL, config.MANAGEMENT_URL].filter((url) => url !== undefined).length,
    requestRate: createRequestRateIfConfigured(config, secret, tokenBuckets),
    countWrites: recentWrites.marks,
    responseBytes,
    onRejected,
    observer: metrics,
    managementHeader: config.MANAGEMENT_TOKEN_HEADER,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    files,
    pages,
    receiveNotification: webhooks?.receive ?? null,
    log,
  });

  return {
    service,
    schema,
    model,
    metrics,
    async close() {
      await service.stop();
      await webhooks?.stop();
      await tracing?.stop();
      for (const member of [throttling, recentWrites]) member.leave();
      const clients = Object.values(upstreams).map(({ client }) => client);
      await Promise.all([bus, ...clients].map((connected) => connected.close()));
    },
  };
}

/** The names of the query parameters of `BUSINESS_URL`, in lower case. */
const listParameters = ({ BUSINESS_URL: url = '' }: Config): ReadonlySet<string> =>
  new Set([...new URLSearchParams(/\?(.*)/s.exec(url)?.[1]).keys()].map((name) => name.toLowerCase()));

const expansionRefusedMessage = 'The upstream does not expand this relation. Its records are loaded by key.';

/** The rate limiter of `MAX_REQUESTS_PER_SECOND`; null if unset. */
function createRequestRateIfConfigured(
  { MAX_REQUESTS_PER_SECOND: perSecond }: Config,
  secret: string,
  shared: RedisTokenBuckets | null,
): RequestRateLimiter | null {
  return perSecond === undefined
    ? null
    : createRequestRateLimiter({ perSecond, shared, redisKey: createPrincipalHasher(secret) });
}

interface FileAccess {
  readonly secrets: readonly string[];
  readonly client: UpstreamClient;
  readonly credentials: AreaCredentials;
  readonly recentWrites: Pick<RecentWrites, 'mark' | 'markOf'>;
}

function createConfiguredFiles(config: Config, { secrets, client, credentials, recentWrites }: FileAccess) {
  const addresses = createFileAddresses({
    secrets,
    seconds: config.FILE_URL_SECONDS,
    baseUrl: (config.PUBLIC_URL?.replace(/\/$/, '') ?? '') + filesPath,
    now: Date.now,
  });
  /** Opens the file of an address. Rejects other callers than the one it was created for. */
  const open: OpenFile = async ({ sealed, caller, headers: given, body, until }) => {
    const address = addresses.open(sealed);
    const access = credentials.forCaller('business', caller, null);
    if (address === null || address.principal !== access.principal)
      throw new InputError(invalidFileAddress, 'FORBIDDEN');
    const { path, name, companyId, isReplaceable } = address;
    if (body === null) {
      const readsPrimary = caller.readsPrimary || recentWrites.markOf(access.person, companyId) > 0;
      const headers = { ...given, ...(readsPrimary && primaryReadHeaders) };
      return { ...(await client.open({ method: 'GET', path, access, headers, deadline: until })), name };
    }
    if (!isReplaceable) throw new InputError('This file cannot be replaced.', 'FORBIDDEN');
    if (caller.verified) requireScopes(config.WRITE_SCOPES, caller.verified, 'an upload');
    const mark = () => recentWrites.mark(access.person, companyId);
    mark();
    const call = { method: 'PATCH', path, access, headers: given, body, kind: 'write' } as const;
    const opened = await client.open(call).finally(mark);
    return { ...opened, name };
  };
  return { addresses, maxUploadBytes: config.FILE_UPLOAD_MAX_BYTES, open };
}

const invalidFileAddress =
  'This address works for a short time, and only for the caller whose query returned it. Query the file again, and send the same token.';
