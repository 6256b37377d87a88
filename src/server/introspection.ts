import { Kind, type OperationDefinitionNode, visit } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Answered } from './answers.ts';
import type { Request } from './executor.ts';

/** The answers to operations that ask for nothing but what the schema says of itself. */
export interface IntrospectionAnswers {
  /** The one that is kept; undefined where there is none, or the operation asks for something else. */
  kept(request: Request): Answered | undefined;
  /** Keeps an answer without errors, if it can only be the same again. */
  keep(request: Request, answered: Answered): void;
}

// The whole schema takes half a megabyte.
const maxKeptBytes = 8 * 1024 * 1024;

/** Keeps them by their operations, since each is the same as long as the process runs. */
export function createIntrospectionAnswers(): IntrospectionAnswers {
  const answers = new LRUCache<number, Answered>({
    maxSize: maxKeptBytes,
    sizeCalculation: ({ body }) => body.length,
  });
  return {
    kept: (request) => (isIntrospection(request) ? answers.get(request.operationId) : undefined),
    keep(request, { status, body }) {
      if (isIntrospection(request) && isConstant(request.operation))
        answers.set(request.operationId, { status, body: Buffer.from(body) });
    },
  };
}

const ofSchema = new Set(['__schema', '__type']);
const constant = new Set([...ofSchema, '__typename']);
const known = new WeakMap<OperationDefinitionNode, boolean>();

/** Whether an operation, or another of its document, asks for the schema, which is read at one go. */
export function isIntrospection({ document, operation }: Request): boolean {
  const before = known.get(operation);
  if (before !== undefined) return before;
  let asks = false;
  visit(document, {
    Field({ name }) {
      asks ||= ofSchema.has(name.value);
    },
  });
  known.set(operation, asks);
  return asks;
}

// What a schema says of itself depends on nothing else; a fragment may ask for more.
const isConstant = ({ selectionSet, variableDefinitions = [] }: OperationDefinitionNode): boolean =>
  variableDefinitions.length === 0 &&
  selectionSet.selections.every((node) => node.kind === Kind.FIELD && constant.has(node.name.value));
