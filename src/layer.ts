import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { type Accesses, createAccesses } from './access.ts';
import { createChosenIds } from './business/chosen-ids.ts';
import { dialectOf } from './business/dialect.ts';
import { typesBySet } from './business/record-types.ts';
import { createPolls } from './changes/polls.ts';
import { createWebhooks, type Webhooks } from './changes/webhooks.ts';
import type { Config } from './config.ts';
import { createContexts } from './contexts.ts';
import type { ErrorCode } from './errors.ts';
import { AnswerMeter } from './graph/answer-meter.ts';
import { createCursors } from './graph/cursor.ts';
import { readToldStep } from './instances/operation-status.ts';
import { createMetrics } from './observation/metrics.ts';
import { observeOperations } from './observation/operations.ts';
import { startTracing } from './observation/traces.ts';
import { type Bus, createMemoryBus } from './operations/bus.ts';
import { createHandles } from './operations/handle.ts';
import { createRedisBuckets } from './operations/redis-buckets.ts';
import { createRedisBus } from './operations/redis-bus.ts';
import { createTracker } from './operations/tracker.ts';
import { joinPace } from './pace.ts';
import { createSchema } from './schema.ts';
import { answerBytesBounds, createAnswerBytes } from './server/answer-bytes.ts';
import { createDocuments, type Documents } from './server/documents.ts';
import { createExecutor } from './server/executor.ts';
import { createGuard, type Guard, type GuardOptions } from './server/guard.ts';
import { type Server, startServer } from './server/http.ts';
import type { PagesOptions } from './server/pages.ts';
import { createRequestRate, type RequestRate } from './server/request-rate.ts';
import { createTrustedDocuments } from './server/trusted-documents.ts';
import { createVerifier } from './server/verification.ts';
import { webhookPath } from './server/webhooks.ts';
import { createPrincipals } from './upstream/auth.ts';
import type { Client } from './upstream/client.ts';
import { createInFlight } from './upstream/in-flight.ts';
import { connectUpstreams } from './upstreams.ts';

/**
 * Starts the whole layer: reads nothing but its arguments, and leaves nothing behind when stopped. In `dev`, on a
 * loopback address, callers who are not verified are shown what operators are.
 */
export async function startLayer(
  config: Config,
  pages: PagesOptions | null,
  log: Logger,
  mode: 'dev' | 'serve' = 'serve',
): Promise<Server> {
  const bus = config.REDIS_URL
    ? createRedisBus({
        url: config.REDIS_URL,
        onLost: (reason) => log.warn({ reason }, 'Redis cannot be reached: this replica polls for itself.'),
        onFailed: (err) => log.error({ err }, 'A message of another replica could not be taken.'),
      })
    : createMemoryBus();
  const pace = await joinPace(bus);
  const metrics = config.ADMIN_PORT === 'off' ? null : createMetrics();
  const tracing = await startTracing(config, log);
  const upstreams = connectUpstreams(config, pace, metrics, log);
  const secrets = config.OPERATION_SECRETS ?? [randomBytes(32).toString('base64')];
  const [secret = ''] = secrets;
  const accesses = {
    business: createAccesses(config, 'BUSINESS', secret),
    management: createAccesses(config, 'MANAGEMENT', secret),
  };
  const cursors = createCursors(secrets);
  const business = {
    client: upstreams.business.client,
    inFlight: createInFlight(),
    dialect: dialectOf(config.BUSINESS_DIALECT),
    hasItemV1: config.BUSINESS_ITEM_V1 === 'on',
    cursors,
    defaultCompanyId: config.BUSINESS_COMPANY_ID ?? null,
    chosenIds: createChosenIds(config.BUSINESS_CHOSEN_IDS, (entitySet) =>
      log.warn(
        { entitySet },
        'The upstream gives records of this set ids of its own: creates are sent once only.',
      ),
    ),
  };
  const instances = {
    client: upstreams.instances.client,
    managementUrl: config.MANAGEMENT_URL ?? 'http://localhost',
    namespace: config.INSTANCES_NAMESPACE,
    segment: config.INSTANCES_SEGMENT,
    apiVersion: config.INSTANCES_API_VERSION,
    handles: createHandles(secrets),
    tracker: createTracker({ pollMs: config.OPERATION_POLL_MS, bus, readState: readToldStep }),
  };
  const health = {
    client: upstreams.health.client,
    namespace: config.HEALTH_NAMESPACE,
    apiVersion: config.HEALTH_API_VERSION,
    cursors,
    tracker: createTracker({ pollMs: config.POLL_HEALTH_MS, bus: createMemoryBus() }),
    pollMs: config.POLL_HEALTH_MS,
  };

  const webhooks = webhooksOf(config, business.client, accesses.business, secrets, bus, log);
  const polls = createPolls({ pollMs: config.POLL_RECORDS_MS, webhooks });

  const schema = createSchema();
  const answerBytes = createAnswerBytes(answerBytesBounds);
  const answerLimits = { maxRows: config.MAX_COST, maxBytes: config.MAX_ANSWER_BYTES };
  const executor = createExecutor({
    schema,
    createContext: createContexts({
      business,
      instances,
      health,
      polls,
      upstreams,
      showsUpstreamsToAll: mode === 'dev',
      accesses,
      managementScopes: managementScopes(config),
    }),
    compileAfter: config.COMPILE_AFTER,
    createMeter: ({ caller, rows }) => new AnswerMeter(answerLimits, answerBytes.account(caller), rows),
    observer: observeOperations({ metrics, tracing, log }),
    log,
  });
  const documents = createDocuments({
    schema,
    maxTokens: config.MAX_TOKENS,
    maxDepth: config.MAX_DEPTH,
    maxAliases: config.MAX_ALIASES,
    maxDirectives: config.MAX_DIRECTIVES,
    introspection: config.INTROSPECTION !== 'off',
  });
  const requestRate = requestRateOf(config, secret, log);
  const onRefused = (code: ErrorCode, requestId: string) => {
    metrics?.refused(code);
    log.info({ requestId, code }, 'refused');
  };
  const server = await startServer({
    host: config.HOST,
    port: config.PORT,
    schema,
    executor,
    documents,
    guard: guardOf(config, documents, onRefused, log),
    origins: config.CORS_ORIGINS,
    isLocalOnly:
      config.JWT_ISSUER === undefined &&
      [config.BUSINESS_AUTH, config.MANAGEMENT_AUTH].includes('client-credentials'),
    maxSockets: config.MAX_SOCKETS,
    maxSocketsPerCaller: config.MAX_SOCKETS_PER_CALLER,
    maxSubscriptions: config.MAX_SUBSCRIPTIONS,
    maxRequests: config.MAX_REQUESTS,
    maxRequestsPerCaller: config.MAX_REQUESTS_PER_CALLER ?? Math.ceil(config.MAX_REQUESTS / 4),
    areas: [config.BUSINESS_URL, config.MANAGEMENT_URL].filter((url) => url !== undefined).length,
    requestRate,
    maxAnswerBytes: config.MAX_ANSWER_BYTES,
    answerBytes,
    onRefused,
    maxLoopDelayMs: config.MAX_LOOP_DELAY_MS,
    admin: config.ADMIN_PORT === 'off' ? null : { host: config.ADMIN_HOST, port: config.ADMIN_PORT },
    observer: metrics,
    drain: { delayMs: config.DRAIN_DELAY_MS, timeoutMs: config.DRAIN_TIMEOUT_MS },
    managementHeader: config.MANAGEMENT_TOKEN_HEADER,
    requestTimeoutMs: config.REQUEST_TIMEOUT_MS,
    pages,
    receiveNotification: webhooks?.receive ?? null,
    log,
  });

  return {
    url: server.url,
    adminUrl: server.adminUrl,
    async stop() {
      await server.stop();
      requestRate?.close();
      await webhooks?.stop();
      await tracing?.stop();
      pace.leave();
      const clients = Object.values(upstreams).map(({ client }) => client);
      await Promise.all([bus, ...clients].map((connected) => connected.close()));
    },
  };
}

function webhooksOf(
  config: Config,
  client: Client,
  accesses: Accesses,
  secrets: readonly string[],
  bus: Bus,
  log: Logger,
): Webhooks | null {
  const { BUSINESS_URL, WEBHOOK_URL } = config;
  const access = accesses.own('business');
  if (!BUSINESS_URL || !WEBHOOK_URL || !access) return null;
  return createWebhooks({
    client,
    access,
    notificationUrl: WEBHOOK_URL.replace(/\/$/, '') + webhookPath,
    secrets,
    types: typesBySet,
    bus,
    pollMs: config.POLL_RECORDS_MS,
    log,
  });
}

function requestRateOf(config: Config, secret: string, log: Logger): RequestRate | null {
  const { MAX_REQUESTS_PER_SECOND: perSecond, REDIS_URL: url } = config;
  if (perSecond === undefined) return null;
  const onLost = (reason: string) =>
    log.warn({ reason }, 'Redis cannot be reached: this replica counts the requests of callers by itself.');
  return createRequestRate({
    perSecond,
    shared: url === undefined ? null : createRedisBuckets({ url, onLost }),
    nameOf: createPrincipals(secret),
  });
}

function guardOf(
  config: Config,
  documents: Documents,
  onRefused: NonNullable<GuardOptions['onRefused']>,
  log: Logger,
): Guard {
  const { JWT_ISSUER: issuer, JWT_AUDIENCE: audience, JWT_JWKS_URL: jwksUrl } = config;
  return createGuard({
    documents,
    trustedDocuments: createTrustedDocuments({
      mode: config.TRUSTED_DOCUMENTS,
      manifest: config.TRUSTED_DOCUMENTS_MANIFEST ?? {},
      log,
    }),
    verifier: issuer && audience && jwksUrl ? createVerifier({ issuer, audience, jwksUrl, log }) : null,
    writeScopes: config.WRITE_SCOPES,
    operateScopes: config.OPERATE_SCOPES,
    managementScopes: managementScopes(config),
    maxCost: config.MAX_COST,
    onRefused,
  });
}

// Where areas B and C have tokens of their own, they look at them themselves.
const managementScopes = (config: Config) => {
  const hasOwn = config.MANAGEMENT_TOKEN_HEADER !== 'authorization';
  const isAsked = !hasOwn || config.MANAGEMENT_AUTH === 'client-credentials';
  return isAsked ? config.MANAGEMENT_SCOPES : [];
};
