import type { Server } from 'node:http';
import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { ApolloServerPluginDrainHttpServer } from '@apollo/server/plugin/drainHttpServer';
import type { GraphQLFormattedError, GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Caller, Executor } from './executor.ts';
import { maxTokens, unnamedOperation } from './prepare.ts';

/**
 * Apollo Server with the layer's own executor behind its public `gateway` hook.
 *
 * The hook is what lets compiled operations take the place of graphql-js; no gateway is involved. Plugins that
 * would look at every field are off: one of them alone halves the speed (docs/decisions).
 */
export function createApollo(
  schema: GraphQLSchema,
  executor: Executor,
  httpServer: Server,
  log: Logger,
): ApolloServer<Caller> {
  const gateway: ApolloServerOptionsWithGateway<Caller>['gateway'] = {
    async load() {
      return {
        // Apollo says that the operation is always there, and passes none when the request names none of many.
        executor: async ({ document, operation, request, context }) =>
          (operation as unknown) === undefined
            ? { errors: [unnamedOperation()] }
            : executor.execute({
                document,
                operation,
                variables: request.variables ?? {},
                caller: context as Caller,
              }),
      };
    },
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => {};
    },
    async stop() {},
  };

  return new ApolloServer<Caller>({
    gateway,
    logger: log,
    introspection: true,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    parseOptions: { maxTokens },
    formatError: documentedCode,
    plugins: [
      ApolloServerPluginDrainHttpServer({ httpServer }),
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      requestIdInErrors,
    ],
  });
}

// Apollo's own words for requests it cannot take; the documented list has one code for them all.
const apolloCodes = new Set(['BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE', 'PERSISTED_QUERY_NOT_SUPPORTED']);

function documentedCode(error: GraphQLFormattedError): GraphQLFormattedError {
  if (!apolloCodes.has(String(error.extensions?.code))) return error;
  return { ...error, extensions: { ...error.extensions, code: 'BAD_USER_INPUT' } };
}

// Errors of execution have it already; those of parsing and validation are made by Apollo.
const requestIdInErrors: ApolloServerPlugin<Caller> = {
  async requestDidStart() {
    return {
      async willSendResponse({ response, contextValue }) {
        if (response.body.kind !== 'single') return;
        const { singleResult } = response.body;
        if (!singleResult.errors) return;
        singleResult.errors = singleResult.errors.map((error) => ({
          ...error,
          extensions: { ...error.extensions, requestId: contextValue.requestId },
        }));
      },
    };
  },
};
