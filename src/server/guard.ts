import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  parse,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Caller, Request } from './executor.ts';

/** How long a document may be, in tokens, on every transport. */
export const maxTokens = 2_000;

/** The error of a document with several operations, none of which the request names. */
export const unnamedOperation = () =>
  new GraphQLError('Name one operation of the document in `operationName`.', {
    extensions: { code: 'BAD_USER_INPUT' },
  });

export interface Payload {
  readonly query?: unknown;
  readonly operationName?: unknown;
  readonly variables?: unknown;
}

/** A subscription ready to run, or why it is not one. */
export type Prepare = (payload: Payload, caller: Caller) => Request | readonly GraphQLError[];

// As many valid documents as are kept, by their text: thousands of watchers send the same few.
const maxDocuments = 500;

/**
 * Prepares subscriptions. Both of their transports go through the same function, so that neither accepts
 * what the other refuses; queries and mutations are prepared by Apollo.
 */
export function createPrepare(schema: GraphQLSchema): Prepare {
  const documents = new LRUCache<string, DocumentNode>({ max: maxDocuments });

  return (payload, caller) => {
    const failure = (message: string, code: string) =>
      new GraphQLError(message, { extensions: { code, requestId: caller.requestId } });
    const text = String(payload.query ?? '');
    let document = documents.get(text);
    if (!document) {
      try {
        document = parse(text, { maxTokens });
      } catch (error) {
        return [failure((error as Error).message, 'GRAPHQL_PARSE_FAILED')];
      }
      const faults = validate(schema, document, undefined, { maxErrors: 5 });
      if (faults.length > 0)
        return faults.map(({ message }) => failure(message, 'GRAPHQL_VALIDATION_FAILED'));
      documents.set(text, document);
    }
    const operation = getOperationAST(document, payload.operationName as string | undefined);
    if (!operation) return [failure(unnamedOperation().message, 'BAD_USER_INPUT')];
    if (operation.operation !== 'subscription') {
      const message = 'Only subscriptions are served here. Send queries and mutations by POST to /graphql.';
      return [failure(message, 'BAD_USER_INPUT')];
    }
    return { document, operation, variables: (payload.variables ?? {}) as Request['variables'], caller };
  };
}
