import { Kind, type OperationDefinitionNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { GraphqlRequest } from '../request.ts';
import type { SerializedResponse } from './serialized-response.ts';

/** Caches responses to operations that select nothing but `__schema`, `__type` and `__typename`. */
export interface IntrospectionCache {
  /** Returns the cached response, or undefined if there is none. */
  get(request: GraphqlRequest): SerializedResponse | undefined;
  /** Caches a response without errors if it does not depend on variables. */
  set(request: GraphqlRequest, response: SerializedResponse): void;
}

// The whole schema is about 0.5 MB.
const maxCacheBytes = 8 * 1024 * 1024;

/** Keyed by operation id: the schema does not change while the process runs. */
export function createIntrospectionCache(): IntrospectionCache {
  const responses = new LRUCache<number, SerializedResponse>({
    maxSize: maxCacheBytes,
    // Half as much again is room for the compressed forms.
    sizeCalculation: ({ body }) => Math.ceil(1.5 * body.length),
  });
  return {
    get: (request) => (isIntrospection(request) ? responses.get(request.operationId) : undefined),
    set(request, { status, hasErrors, body }) {
      if (isIntrospection(request) && isConstant(request.operation))
        responses.set(request.operationId, { status, hasErrors, body: Buffer.from(body) });
    },
  };
}

const schemaFields = new Set(['__schema', '__type']);
const constantFields = new Set([...schemaFields, '__typename']);
const knownIntrospections = new WeakMap<OperationDefinitionNode, boolean>();

/**
 * Whether the document of a request selects `__schema` or `__type`: such operations run synchronously and
 * take long.
 */
export function isIntrospection({ document, operation }: GraphqlRequest): boolean {
  const known = knownIntrospections.get(operation);
  if (known !== undefined) return known;
  let selectsSchema = false;
  visit(document, {
    Field({ name }) {
      selectsSchema ||= schemaFields.has(name.value);
    },
  });
  knownIntrospections.set(operation, selectsSchema);
  return selectsSchema;
}

// Only plain fields: a fragment may select something else.
const isConstant = ({ selectionSet, variableDefinitions = [] }: OperationDefinitionNode): boolean =>
  variableDefinitions.length === 0 &&
  selectionSet.selections.every((node) => node.kind === Kind.FIELD && constantFields.has(node.name.value));
