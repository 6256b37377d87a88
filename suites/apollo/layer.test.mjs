import { ApolloServer } from '@apollo/server';
import { defineIntegrationTestSuite } from '@apollo/server-integration-testsuite';
import { pino } from 'pino';
import { createApp } from '../../dist/server/app.js';
import { createCallerReader } from '../../dist/server/caller.js';
import { createDocuments } from '../../dist/server/guard/documents.js';
import { createGuard } from '../../dist/server/guard/guard.js';
import { createTrustedDocuments } from '../../dist/server/guard/trusted-documents.js';
import { createAdmission } from '../../dist/server/load/admission.js';
import { createConnections } from '../../dist/server/load/connections.js';
import { createLoadShedder, monitorEventLoopDelay } from '../../dist/server/load/shedding.js';
import {
  createResponseBytes,
  createResponseLimit,
  responseBytesLimits,
} from '../../dist/server/load/unread-bytes.js';
import { graphqlPath } from '../../dist/server/paths.js';
import { serveGraphqlOverHttp } from '../../dist/server/transports/graphql-over-http.js';

const log = pino({ level: 'silent' });
const managementHeader = 'authorization';
const loadLimits = { maxRequests: 200, maxRequestsPerCaller: 200, maxLoopDelayMs: 60_000 };
const limits = { maxTokens: 10_000, maxDepth: 100, maxAliases: 100, maxDirectives: 100 };

/** The guard, configured as in a deployment, for the schema of a test. */
const guardOf = (schema, introspection) =>
  createGuard({
    documents: createDocuments({ ...limits, schema, introspection }),
    trustedDocuments: createTrustedDocuments(null),
    verifier: null,
    writeScopes: [],
    operateScopes: [],
    managementScopes: [],
    responseLimits: { maxRows: Number.MAX_SAFE_INTEGER, maxBytes: Number.MAX_SAFE_INTEGER },
  });

/** The Apollo Server that a test describes, behind Tributary's HTTP routes and guard. */
async function createServer(config, { context = async () => ({}) } = {}) {
  let guard;
  const follow = {
    async serverWillStart() {
      return {
        schemaDidLoadOrUpdate({ apiSchema }) {
          guard = guardOf(apiSchema, config.introspection ?? true);
        },
      };
    },
  };
  const server = new ApolloServer({ ...config, plugins: [...(config.plugins ?? []), follow] });
  await server.start();

  const loopDelay = monitorEventLoopDelay();
  const shedding = createLoadShedder({
    limits: loadLimits,
    upstreamCount: 1,
    observer: null,
    loopDelay,
    log,
  });
  const openConnections = createConnections({ delayMs: 0, timeoutMs: 5_000, log });
  const app = await createApp({
    managementHeader,
    origins: [],
    publicOrigin: null,
    isLocalOnly: false,
    shedding,
    openConnections,
    log,
  });
  // The suite sends requests to the root path.
  app.server.prependListener('request', (request) => {
    request.url = request.url.replace(/^\/(?=\?|$)/, graphqlPath);
  });
  // The suite compares whole responses, without request ids.
  app.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? payload.replaceAll(/,?"requestId":"[^"]+"/g, '') : payload,
  );
  const apollo = {
    assertStarted: (caller) => server.assertStarted(caller),
    // Tributary's context is for its executor; the suite's resolvers expect their own.
    executeHTTPGraphQLRequest: ({ httpGraphQLRequest }) =>
      server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context }),
  };
  const guardNow = {
    identify: (caller) => guard.identify(caller),
    prepare: (...request) => guard.prepare(...request),
  };
  const pipeline = {
    admission: createAdmission({
      guard: guardNow,
      shedding,
      requestRate: null,
      limits: loadLimits,
    }),
    guard: guardNow,
    responder: null,
    apollo,
    // No test of the suite accepts event streams.
    streams: null,
    limitResponse: createResponseLimit({
      responseBytes: createResponseBytes(responseBytesLimits),
      onRejected() {},
    }),
  };
  const callers = createCallerReader(managementHeader);
  serveGraphqlOverHttp(app, pipeline, {
    callers,
    requestTimeoutMs: 30_000,
    compressesResponses: false,
    cacheKeyHeaders: [],
  });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });

  return {
    server,
    url,
    async extraCleanup() {
      await openConnections.stopServers(async () => {});
      await app.close();
      loopDelay.stop();
    },
  };
}

defineIntegrationTestSuite(createServer, { noIncrementalDelivery: true });
