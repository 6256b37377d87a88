import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { createBusiness } from './business/business.ts';
import { createChosenIds } from './business/chosen-ids.ts';
import { dialectOf } from './business/dialect.ts';
import { createRecordReader } from './business/record-types.ts';
import { createChanges } from './changes/changes.ts';
import { createPolls } from './changes/polls.ts';
import type { Config } from './config.ts';
import type { UpstreamName } from './errors.ts';
import { createCursors } from './graph/cursor.ts';
import { createHealth } from './health/health.ts';
import { createInstances } from './instances/instances.ts';
import { createMemoryBus } from './operations/bus.ts';
import { createHandles } from './operations/handle.ts';
import { createRedisBus } from './operations/redis-bus.ts';
import { createTracker } from './operations/tracker.ts';
import { createSchema } from './schema.ts';
import { createExecutor } from './server/executor.ts';
import type { ExplorerOptions } from './server/explorer.ts';
import { type Server, startServer } from './server/http.ts';
import { type Client, createAbsentClient, createClient } from './upstream/client.ts';
import { explained } from './upstream/explain.ts';
import { createInFlight } from './upstream/in-flight.ts';

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
        onError: (err) => log.warn({ err }, 'Redis cannot be reached: this replica polls for itself.'),
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

  const polls = createPolls({ pollMs: config.POLL_RECORDS_MS });

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
    log,
  });

  return {
    url: server.url,
    async stop() {
      await server.stop();
      await Promise.all([bus, ...Object.values(clients)].map((connected) => connected.close()));
    },
  };
}

function lazily<Value>(make: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= make();
    return value;
  };
}
