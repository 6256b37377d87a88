import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { createBusiness } from './business/business.ts';
import { createChosenIds } from './business/chosen-ids.ts';
import { dialectOf } from './business/dialect.ts';
import { createRecordReader, typesBySet } from './business/record-types.ts';
import { createChanges } from './changes/changes.ts';
import { createPolls } from './changes/polls.ts';
import { createWebhooks, type Webhooks } from './changes/webhooks.ts';
import type { Config } from './config.ts';
import type { UpstreamName } from './errors.ts';
import { createCursors } from './graph/cursor.ts';
import { createHealth } from './health/health.ts';
import { createInstances } from './instances/instances.ts';
import { type Bus, createMemoryBus } from './operations/bus.ts';
import { createHandles } from './operations/handle.ts';
import { createRedisBus } from './operations/redis-bus.ts';
import { createTracker } from './operations/tracker.ts';
import { createSchema } from './schema.ts';
import { createExecutor } from './server/executor.ts';
import type { ExplorerOptions } from './server/explorer.ts';
import { type Server, startServer } from './server/http.ts';
import { webhookPath } from './server/webhooks.ts';
import { type Client, createAbsentClient, createClient } from './upstream/client.ts';
import { explained } from './upstream/explain.ts';
import { createInFlight } from './upstream/in-flight.ts';
import { createServiceToken } from './upstream/service-token.ts';

/** Starts the whole layer: reads nothing but its arguments, and leaves nothing behind when stopped. */
export async function startLayer(
  config: Config,
  explorer: ExplorerOptions | null,
  log: Logger,
): Promise<Server> {
  const clientOf = (upstream: UpstreamName, variable: 'BUSINESS_URL' | 'MANAGEMENT_URL'): Client => {
    const url = config[variable];
    return url === undefined
      ? createAbsentClient(upstream, variable)
      : createClient({
          upstream,
          url,
          readTimeoutMs: config.REQUEST_TIMEOUT_MS,
          writeTimeoutMs: config.WRITE_TIMEOUT_MS,
          maxResponseBytes: config.MAX_RESPONSE_BYTES,
          connections: config.UPSTREAM_CONNECTIONS,
        });
  };
  const clients = {
    business: clientOf('business', 'BUSINESS_URL'),
    instances: clientOf('instances', 'MANAGEMENT_URL'),
    health: clientOf('health', 'MANAGEMENT_URL'),
  };
  const secrets = config.OPERATION_SECRETS ?? [randomBytes(32).toString('base64')];
  const cursors = createCursors(secrets);
  const business = {
    client: clients.business,
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
  const bus = config.REDIS_URL
    ? createRedisBus({
        url: config.REDIS_URL,
        onLost: (reason) => log.warn({ reason }, 'Redis cannot be reached: this replica polls for itself.'),
      })
    : createMemoryBus();
  const instances = {
    client: clients.instances,
    managementUrl: config.MANAGEMENT_URL ?? 'http://localhost',
    namespace: config.INSTANCES_NAMESPACE,
    segment: config.INSTANCES_SEGMENT,
    apiVersion: config.INSTANCES_API_VERSION,
    handles: createHandles(secrets),
    tracker: createTracker({ pollMs: config.OPERATION_POLL_MS, bus }),
  };
  const health = {
    client: clients.health,
    namespace: config.HEALTH_NAMESPACE,
    apiVersion: config.HEALTH_API_VERSION,
    cursors,
    tracker: createTracker({ pollMs: config.POLL_HEALTH_MS, bus: createMemoryBus() }),
    pollMs: config.POLL_HEALTH_MS,
  };

  const webhooks = webhooksOf(config, clients.business, secrets, bus, log);
  const polls = createPolls({ pollMs: config.POLL_RECORDS_MS, webhooks });

  const schema = createSchema();
  const executor = createExecutor({
    schema,
    createContext({ businessToken, managementToken }, selection, calls) {
      const watched = <Options extends { client: Client }>(
        upstream: UpstreamName,
        options: Options,
      ): Options => (calls ? { ...options, client: explained(options.client, upstream, calls) } : options);
      // Each domain is made when it is first asked for: most operations need one, and watchers are many.
      const records = lazily(() => createBusiness(watched('business', business), businessToken, selection));
      const instance = lazily(() => createInstances(watched('instances', instances), managementToken));
      const events = lazily(() => createHealth(watched('health', health), managementToken));
      const changes = lazily(() => createChanges(polls, createRecordReader(records()), businessToken));
      return {
        get business() {
          return records();
        },
        get instances() {
          return instance();
        },
        get health() {
          return events();
        },
        get changes() {
          return changes();
        },
      };
    },
    compileAfter: config.COMPILE_AFTER,
    log,
  });
  const server = await startServer({
    host: config.HOST,
    port: config.PORT,
    schema,
    executor,
    managementHeader: config.MANAGEMENT_TOKEN_HEADER,
    explorer,
    receiveNotification: webhooks?.receive ?? null,
    log,
  });

  return {
    url: server.url,
    async stop() {
      await server.stop();
      await webhooks?.stop();
      await Promise.all([bus, ...Object.values(clients)].map((connected) => connected.close()));
    },
  };
}

function webhooksOf(
  config: Config,
  client: Client,
  secrets: readonly string[],
  bus: Bus,
  log: Logger,
): Webhooks | null {
  const { WEBHOOK_URL, BUSINESS_TOKEN_URL, BUSINESS_CLIENT_ID, BUSINESS_CLIENT_SECRET } = config;
  if (!config.BUSINESS_URL || !WEBHOOK_URL) return null;
  if (!BUSINESS_TOKEN_URL || !BUSINESS_CLIENT_ID || !BUSINESS_CLIENT_SECRET) return null;
  const token = createServiceToken({
    upstream: 'business',
    url: BUSINESS_TOKEN_URL,
    clientId: BUSINESS_CLIENT_ID,
    clientSecret: BUSINESS_CLIENT_SECRET,
    scope: config.BUSINESS_SCOPE ?? null,
    timeoutMs: config.REQUEST_TIMEOUT_MS,
  });
  return createWebhooks({
    client,
    token,
    notificationUrl: WEBHOOK_URL.replace(/\/$/, '') + webhookPath,
    secrets,
    types: typesBySet,
    bus,
    pollMs: config.POLL_RECORDS_MS,
    log,
  });
}

function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
