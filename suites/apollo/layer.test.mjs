import { ApolloServer } from '@apollo/server';
import { defineIntegrationTestSuite } from '@apollo/server-integration-testsuite';
import { pino } from 'pino';
import { answerBytesBounds, createAnswerBytes } from '../../dist/server/answer-bytes.js';
import { createApp } from '../../dist/server/app.js';
import { createDocuments } from '../../dist/server/documents.js';
import { createDrain } from '../../dist/server/drain.js';
import { createEntry } from '../../dist/server/entry.js';
import { createGuard } from '../../dist/server/guard.js';
import { startLoopDelay } from '../../dist/server/loop-delay.js';
import { graphqlPath, serveQueries } from '../../dist/server/queries.js';
import { createSending } from '../../dist/server/sending.js';
import { createShedding } from '../../dist/server/shedding.js';
import { createTrustedDocuments } from '../../dist/server/trusted-documents.js';

const log = pino({ level: 'silent' });
const managementHeader = 'authorization';
const limits = { maxTokens: 10_000, maxDepth: 100, maxAliases: 100, maxDirectives: 100 };

/** The guard as every deployment has it, for the schema of a test. */
const guardOf = (schema, introspection) =>
  createGuard({
    documents: createDocuments({ ...limits, schema, introspection }),
    trustedDocuments: createTrustedDocuments({ mode: 'off', manifest: {}, log }),
    verifier: null,
    writeScopes: [],
    operateScopes: [],
    managementScopes: [],
    maxCost: Number.MAX_SAFE_INTEGER,
  });

/** The Apollo Server a test describes, behind the layer's HTTP: what comes in passes the layer first. */
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

  const loopDelay = startLoopDelay();
  const shedding = createShedding({
    maxRequests: 200,
    maxRequestsPerCaller: 200,
    areas: 1,
    maxLoopDelayMs: 60_000,
    loopDelay,
    log,
  });
  const { watch, drain } = createDrain({ delayMs: 0, timeoutMs: 5_000, log });
  const app = await createApp({
    managementHeader,
    origins: [],
    isLocalOnly: false,
    shedding,
    watch,
    log,
  });
  // The suite asks at the root.
  app.server.prependListener('request', (request) => {
    request.url = request.url.replace(/^\/(?=\?|$)/, graphqlPath);
  });
  // It compares whole answers, and knows of no request ids.
  app.addHook('onSend', async (_request, _reply, payload) =>
    typeof payload === 'string' ? payload.replaceAll(/,?"requestId":"[^"]+"/g, '') : payload,
  );
  const apollo = {
    assertStarted: (caller) => server.assertStarted(caller),
    // What the layer puts into the context is for its executor; resolvers of the suite have a context of theirs.
    executeHTTPGraphQLRequest: ({ httpGraphQLRequest }) =>
      server.executeHTTPGraphQLRequest({ httpGraphQLRequest, context }),
  };
  const guardNow = {
    identify: (caller) => guard.identify(caller),
    prepare: (...request) => guard.prepare(...request),
  };
  const entry = createEntry({ guard: guardNow, shedding, requestRate: null, maxUnidentified: 200 });
  const sending = createSending({
    maxAnswerBytes: Number.MAX_SAFE_INTEGER,
    answerBytes: createAnswerBytes(answerBytesBounds),
    onRefused() {},
  });
  const path = { entry, guard: guardNow, answers: null, apollo, sending };
  serveQueries(app, path, { managementHeader, requestTimeoutMs: 30_000 });
  const url = await app.listen({ host: '127.0.0.1', port: 0 });

  return {
    server,
    url,
    async extraCleanup() {
      await drain(async () => {});
      await app.close();
      loopDelay.stop();
    },
  };
}

defineIntegrationTestSuite(createServer, { noIncrementalDelivery: true });
