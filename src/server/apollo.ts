import { ApolloServer, type ApolloServerOptionsWithGateway, type ApolloServerPlugin } from '@apollo/server';
import {
  ApolloServerPluginCacheControlDisabled,
  ApolloServerPluginInlineTraceDisabled,
  ApolloServerPluginLandingPageDisabled,
  ApolloServerPluginSchemaReportingDisabled,
  ApolloServerPluginUsageReportingDisabled,
} from '@apollo/server/plugin/disabled';
import { GraphQLError, type GraphQLFormattedError, type GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import type { Deadline } from '../upstream/deadline.ts';
import type { Documents } from './documents.ts';
import type { Executor, Request } from './executor.ts';

/** What the guard has let through, and until when it is waited for. */
export interface LetThrough {
  readonly request: Request;
  readonly deadline: Deadline | null;
}

export interface ApolloContext {
  readonly requestId: string;
  /** Null where the request is none that the guard could look at. */
  readonly letThrough: LetThrough | null;
}

export interface ApolloOptions {
  readonly schema: GraphQLSchema;
  readonly executor: Pick<Executor, 'execute'>;
  readonly documents: Documents;
  readonly log: Logger;
}

/**
 * Apollo Server with the layer's own executor behind its public `gateway` hook.
 *
 * The hook is what lets compiled operations take the place of graphql-js; no gateway is involved. Only what the
 * guard has let through is carried out, whatever Apollo makes of the request, and it parses and validates nothing
 * itself. Plugins that would look at every field are off: one of them alone halves the speed (docs/decisions).
 */
export function createApollo(options: ApolloOptions): ApolloServer<ApolloContext> {
  const { schema, executor, documents, log } = options;
  const gateway: ApolloServerOptionsWithGateway<ApolloContext>['gateway'] = {
    async load() {
      return {
        executor: async ({ context }) => {
          const { letThrough } = context as ApolloContext;
          if (letThrough) return executor.execute(letThrough.request, letThrough.deadline);
          throw new GraphQLError('Send the document as the text `query`.', {
            extensions: { code: 'BAD_USER_INPUT' },
          });
        },
      };
    },
    onSchemaLoadOrUpdate(callback) {
      callback({ apiSchema: schema, coreSupergraphSdl: '' });
      return () => {};
    },
    async stop() {},
  };

  return new ApolloServer<ApolloContext>({
    gateway,
    logger: log,
    introspection: true,
    persistedQueries: false,
    includeStacktraceInErrorResponses: false,
    stopOnTerminationSignals: false,
    // The key ends with the hash of the document's text.
    documentStore: {
      get: async (key) => documents.byHash(key.slice(-64)),
      set: async () => {},
      delete: async () => {},
    },
    formatError: documentedCode,
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

// Apollo's own words for requests it cannot take; the documented list has one code for them all.
const apolloCodes = new Set(['BAD_REQUEST', 'OPERATION_RESOLUTION_FAILURE', 'PERSISTED_QUERY_NOT_SUPPORTED']);

function documentedCode(error: GraphQLFormattedError): GraphQLFormattedError {
  if (!apolloCodes.has(String(error.extensions?.code))) return error;
  return { ...error, extensions: { ...error.extensions, code: 'BAD_USER_INPUT' } };
}

// Errors of execution have it already; those of a request that is none are Apollo's.
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
