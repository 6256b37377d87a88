import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { getDialect } from '../business/dialect.ts';
import { createExpansionPlanning } from '../business/reading/expansions.ts';
import { listWatched, listWatchedSets } from '../business/watched-records.ts';
import { createClientSuppliedIds } from '../business/writing/client-supplied-ids.ts';
import { createChangePoller } from '../changes/change-poller.ts';
import type { Config } from '../config/config.ts';
import type { ErrorCode } from '../errors.ts';
import { createCursorCodec } from '../graph/cursor.ts';
import { ResponseMeter } from '../graph/response-meter.ts';
import { createEventListPoller } from '../health/event-list.ts';
import { createSharedReads } from '../http/shared-reads.ts';
import { createKeptLists } from '../instances/resources/resource-reads.ts';
import { createMetrics } from '../observation/metrics.ts';
import { createOperationObserver } from '../observation/operation-observer.ts';
import { startTracing } from '../observation/start-tracing.ts';
import { createMemoryBus } from '../operations/bus.ts';
import { createRedisBus } from '../operations/redis-bus.ts';
import { connectRedis } from '../operations/redis-connections.ts';
import { createRedisTokenBuckets } from '../operations/redis-token-buckets.ts';
import { createTracker } from '../operations/tracker.ts';
import { createExecutor } from '../server/execution/executor.ts';
import { createDocuments } from '../server/guard/documents.ts';
import { createResponseBytes, responseBytesLimits } from '../server/load/response-bytes.ts';
import type { PagesOptions } from '../server/pages/pages.ts';
import { type Server, startServer } from '../server/server.ts';
import { createConfiguredFiles } from './configured/files.ts';
import { createConfiguredGuard, getRequiredManagementScopes } from './configured/guard.ts';
import { getDocumentLimits, getServerLimits } from './configured/limits.ts';
import { createConfiguredOperations } from './configured/operations.ts';
import { createRequestRateIfConfigured } from './configured/request-rate.ts';
import { createConfiguredWebhooks } from './configured/webhooks.ts';
import { connectUpstreams } from './connect-upstreams.ts';
import { createAreaCredentials } from './credentials.ts';
import { createContextFactory } from './request-context.ts';
import { loadRecordTypes } from './schema/record-types.ts';
import { createSchema } from './schema/schema.ts';
import { joinSharedThrottling } from './shared-rate-limits.ts';
import { joinRecentWrites } from './shared-recent-writes.ts';

/**
 * Starts the server with everything it needs. Reads nothing but its arguments, and releases everything when stopped. In
 * `dev`, on a loopback address, unverified callers may query `upstreams`.
 */
export async function startTributary(
  config: Config,
  pages: PagesOptions | null,
  log: Logger,
  mode: 'dev' | 'serve' = 'serve',
): Promise<Server> {
  const recordTypes = loadRecordTypes(config);
  const watchedRecordTypes = listWatched(recordTypes.recordTypes);
  const redis = config.REDIS_URL ? connectRedis({ url: config.REDIS_URL, log }) : null;
  const bus = redis
    ? createRedisBus({
        connections: redis,
        onListenerError: (err) => log.error({ err }, 'A message of another replica could not be processed.'),
      })
    : createMemoryBus();
  const tokenBuckets = redis && createRedisTokenBuckets(redis.commands);
  const throttling = await joinSharedThrottling(bus);
  const metrics = config.ADMIN_PORT === 'off' ? null : createMetrics(redis?.isConnected ?? null);
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
    calls: upstreams.business.files,
    credentials: credentials.business,
    dialect,
    recentWrites,
  });
  const business = {
    client: upstreams.business.client,
    inFlight: createSharedReads('business'),
    dialect,
    recentWrites,
    addedParameters: listParameters(config),
    files: files.addresses,
    writeTimeoutMs: config.WRITE_TIMEOUT_MS,
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
    ...createConfiguredOperations(config, secrets, redis, bus),
  };
  const [healthNamespace = '', healthApiVersion = ''] = config.HEALTH_PROVIDER.split('@');
  const health = {
    client: upstreams.health.client,
    namespace: healthNamespace,
    apiVersion: healthApiVersion,
    billingOperation: config.HEALTH_BILLING_OPERATION ?? null,
    plainReadSupport: { isSupported: null },
    cursors,
    tracker: createTracker({ pollMs: config.POLL_HEALTH_MS, bus: createMemoryBus() }),
    listPoller: createEventListPoller(config.POLL_HEALTH_MS),
    pollMs: config.POLL_HEALTH_MS,
    subscriptionsApiVersion:
      config.SUBSCRIPTIONS_API_VERSION === 'off' ? null : config.SUBSCRIPTIONS_API_VERSION,
  };
  const webhooks = createConfiguredWebhooks(
    config,
    business.client,
    credentials.business,
    listWatchedSets(watchedRecordTypes),
    secrets,
    bus,
    log,
  );
  const schema = createSchema(recordTypes);
  const introspection = config.PAGES !== 'off';
  const responseBytes = createResponseBytes(responseBytesLimits);
  const executor = createExecutor({
    schema,
    createContext: createContextFactory({
      business,
      instances,
      health,
      watchedRecordTypes,
      polls: createChangePoller({ pollMs: config.POLL_RECORDS_MS, webhooks }),
      upstreams,
      showsUpstreamsToAll: mode === 'dev',
      credentials,
      managementScopes: getRequiredManagementScopes(config),
    }),
    compileAfter: config.COMPILE_AFTER,
    suggestsNames: introspection,
    createMeter: ({ caller, responseLimits, maxRows }) =>
      new ResponseMeter(responseLimits, responseBytes.openAccount(caller), maxRows),
    observer: createOperationObserver({ metrics, tracing, log }),
    log,
  });
  const documents = createDocuments({ ...getDocumentLimits(config), schema, introspection });
  const onRejected = (code: ErrorCode, requestId: string) => {
    metrics?.countRefusal(code);
    log.info({ requestId, code }, 'refused');
  };
  const server = await startServer({
    host: config.HOST,
    port: config.PORT,
    schema,
    executor,
    documents,
    guard: createConfiguredGuard(config, documents, onRejected, log),
    origins: config.CORS_ORIGINS,
    publicOrigin: config.PUBLIC_URL ? new URL(config.PUBLIC_URL).origin : null,
    isLocalOnly:
      config.JWT_ISSUER === undefined &&
      [config.BUSINESS_AUTH, config.MANAGEMENT_AUTH].includes('client-credentials'),
    limits: getServerLimits(config),
    upstreamCount: [config.BUSINESS_URL, config.MANAGEMENT_URL].filter((url) => url !== undefined).length,
    requestRate: createRequestRateIfConfigured(config, secret, tokenBuckets),
    countWrites: recentWrites.marks,
    responseBytes,
    onRejected,
    admin: config.ADMIN_PORT === 'off' ? null : { host: config.HOST, port: config.ADMIN_PORT },
    observer: metrics,
    drain: { delayMs: config.DRAIN_DELAY_MS, timeoutMs: config.DRAIN_TIMEOUT_MS },
    managementHeader: config.MANAGEMENT_TOKEN_HEADER,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    compressesResponses: config.RESPONSE_COMPRESSION === 'on',
    files,
    pages,
    receiveNotification: webhooks?.receive ?? null,
    log,
  });

  return {
    ...server,
    async stop() {
      await server.stop();
      await webhooks?.stop();
      await tracing?.stop();
      for (const member of [throttling, recentWrites]) member.leave();
      const clients = Object.values(upstreams).map(({ client }) => client);
      await Promise.all([bus, ...clients].map((connected) => connected.close()));
    },
  };
}

/** The names of the parameters in the query of `BUSINESS_URL`, in lower case. */
const listParameters = ({ BUSINESS_URL: url = '' }: Config): ReadonlySet<string> =>
  new Set([...new URLSearchParams(/\?(.*)/s.exec(url)?.[1]).keys()].map((name) => name.toLowerCase()));

const expansionRefusedMessage = 'The upstream does not expand this relation. Its records are loaded by key.';
