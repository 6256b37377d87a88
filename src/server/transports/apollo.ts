import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import {
  assertValidSchema,
  buildSchema,
  GraphQLError,
  type GraphQLFormattedError,
  type GraphQLSchema,
} from 'graphql';
import type { Logger } from 'pino';
import type { Deadline } from '../../runtime/deadline.ts';
import type { Executor } from '../execution/executor.ts';
import type { Documents } from '../guard/documents.ts';
import type { GraphqlRequest } from '../guard/guard.ts';
import { preflightedHeaders } from './origins.ts';

/** A request that the guard has accepted, with its deadline. */
export interface AcceptedRequest {
  readonly request: GraphqlRequest;
  readonly deadline: Deadline | null;
  /** Undefined until it has been executed. */
  hasErrors?: boolean;
}

export interface ApolloContext {
  readonly requestId: string;
  /** Null if the guard could not read the request. */
  readonly accepted: AcceptedRequest | null;
}

export interface ApolloOptions {
  readonly schema: GraphQLSchema;
  readonly executor: Pick<Executor, 'execute'>;
  readonly documents: Documents;
  readonly log: Logger;
}

// Apollo does not execute; it would only print the schema for the keys of its document store.
const placeholderSchema = buildSchema('type Query { placeholder: Boolean }');

/**
 * Creates an Apollo Server that executes operations with Tributary's executor, through Apollo's public `gateway` hook.
 *
 * Only the accepted request in the context is executed, whatever Apollo reads from the HTTP request. Apollo's parsing,
 * validation and per-field plugins are off: one such plugin halves the throughput.
 */
export function createApollo(options: ApolloOptions): ApolloServer<ApolloContext> {
  const { schema, executor, documents, log } = options;
  assertValidSchema(schema);
  const gateway: ApolloServerOptionsWithGateway<ApolloContext>['gateway'] = {
    async load() {
      return {
        executor: async ({ context }) => {
          const { accepted } = context as ApolloContext;
          if (!accepted)
            throw new GraphQLError('The request has no document. Send it as the text `query`.', {
              extensions: { code: 'BAD_USER_INPUT' },
            });
          const result = await executor.execute(accepted.request, accepted.deadline);
          accepted.hasErrors = result.errors !== undefined;
          return result;
        },
      };
    },
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: placeholderSchema, coreSupergraphSdl: '' });
      return () => {};
    },
    async stop() {},
  };

  return new ApolloServer<ApolloContext>({
    gateway,
    logger: log,
    introspection: true,
    persistedQueries: false,
    csrfPrevention: { requestHeaders: preflightedHeaders },
    // The guard has validated the document, against the schema itself.
    dangerouslyDisableValidation: true,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // The key ends with the SHA-256 of the document's text.
    documentStore: {
      get: async (key) => documents.getByHash(key.slice(-64)),
      set: async () => {},
      delete: async () => {},
    },
    formatError: toDocumentedCode,
    plugins: [
      ApolloServerPluginCacheControlDisabled(),
      ApolloServerPluginInlineTraceDisabled(),
      ApolloServerPluginLandingPageDisabled(),
      ApolloServerPluginSchemaReportingDisabled(),
      ApolloServerPluginUsageReportingDisabled(),
      requestIdInErrors,
    ],
  });
}

// Apollo's own codes, all documented here as BAD_USER_INPUT.
const apolloCodes = new Set(['BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE', 'PERSISTED_QUERY_NOT_SUPPORTED']);

function toDocumentedCode(error: GraphQLFormattedError): GraphQLFormattedError {
  if (!apolloCodes.has(String(error.extensions?.code))) return error;
  return { ...error, extensions: { ...error.extensions, code: 'BAD_USER_INPUT' } };
}

// Adds the request id to Apollo's own errors; execution errors already have it.
const requestIdInErrors: ApolloServerPlugin<ApolloContext> = {
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
