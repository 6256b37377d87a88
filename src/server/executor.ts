import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  getVariableValues,
  type OperationDefinitionNode,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Context } from '../graph/context.ts';
import { createSelections, type Selection } from '../graph/selection.ts';
import { mapEvents } from '../operations/map-events.ts';
import type { ExplainedCall } from '../upstream/explain.ts';
import type { Caller } from './caller.ts';
import { presentError } from './errors.ts';
import { fieldsOf } from './fields-of.ts';
import { withoutRecursiveTypes } from './recursive-input.ts';

/** An operation that the guard has let through. */
export interface Request {
  /** The document as it was written. */
  readonly text: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly caller: Caller;
}

export interface Executor {
  execute(request: Request): Promise<ExecutionResult>;
  /** A result for every event; a single result when the subscription cannot begin. */
  subscribe(request: Request): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>;
}

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  /** `calls`, where given, takes a note of every upstream call made with the context. */
  readonly createContext: (caller: Caller, selection: Selection, calls: ExplainedCall[] | null) => Context;
  readonly compileAfter: number | 'never';
  readonly log: Logger;
}

// Compiled documents are code, with every fragment written out: no more fields than this are kept of all, and
// longer documents are not compiled. A short one can stand for a very long one.
const maxCompiled = 500;
const maxCompiledFields = 2_000;
const maxKeptFields = 20_000;

interface Known {
  uses: number;
  compiled: CompiledQuery | null;
  /** How many fields it has, written out; counted when it is compiled. */
  fields: number;
  /** Whether the compiled operation does not check its variables itself. */
  isUnchecked: boolean;
}

/** Runs operations for every transport: compiled once they come again, interpreted until then. */
export function createExecutor({ schema, createContext, compileAfter, log }: ExecutorOptions): Executor {
  const selectionOf = createSelections(schema);
  const known = new LRUCache<OperationDefinitionNode, Known>({
    max: maxCompiled,
    maxSize: maxKeptFields,
    sizeCalculation: ({ compiled, fields }) => (compiled ? fields : 1),
  });

  const compiledOf = ({ document, operation }: Request): Known | null => {
    if (compileAfter === 'never') return null;
    const entry = known.get(operation) ?? { uses: 0, compiled: null, fields: 1, isUnchecked: false };
    if (entry.uses === compileAfter) entry.fields = fieldsOf(document, operation);
    if (entry.uses === compileAfter && entry.fields <= maxCompiledFields) {
      const compilable = withoutRecursiveTypes(schema, document, operation);
      const result = compileQuery(schema, compilable, operation.name?.value);
      if (isCompiledQuery(result)) entry.compiled = result as CompiledQuery;
      entry.isUnchecked = compilable !== document;
    }
    entry.uses += 1;
    known.set(operation, entry);
    return entry;
  };

  const runCompiled = (
    { query }: CompiledQuery,
    isUnchecked: boolean,
    request: Request,
    rootValue: unknown,
    context: Context,
  ) => {
    if (!isUnchecked) return query(rootValue, context, request.variables);
    const { coerced, errors } = variablesOf(request);
    return errors ? { errors } : query(rootValue, context, coerced);
  };

  const run = async (request: Request, rootValue: unknown): Promise<ExecutionResult> => {
    const { document, operation, variables, caller } = request;
    const present = (error: GraphQLError) => presentError(error, caller.requestId, log);
    try {
      const { compiled = null, isUnchecked = false } = compiledOf(request) ?? {};
      const calls: ExplainedCall[] | null = caller.isExplained ? [] : null;
      const context = contextOf(request, calls);
      const answered = await (compiled
        ? runCompiled(compiled, isUnchecked, request, rootValue, context)
        : execute({
            schema,
            document,
            operationName: operation.name?.value,
            rootValue,
            contextValue: context,
            variableValues: variables,
          }));
      const result = calls ? { ...answered, extensions: { upstream: calls } } : answered;
      if (!result.errors) return result;
      return { ...result, errors: (variableFaults(request, result) ?? result.errors).map(present) };
    } catch (error) {
      const originalError = error as Error;
      return { errors: [present(new GraphQLError(originalError.message, { originalError, path: [] }))] };
    }
  };

  // A compiled operation says of a variable that it does not fit; graphql-js says why.
  const variableFaults = (request: Request, { data }: ExecutionResult) =>
    data === undefined ? variablesOf(request).errors : undefined;

  const variablesOf = ({ operation, variables }: Request) =>
    getVariableValues(schema, operation.variableDefinitions ?? [], variables, { maxErrors: 10 });

  const contextOf = (
    { document, operation, variables, caller }: Request,
    calls: ExplainedCall[] | null = null,
  ) => createContext(caller, selectionOf(document, operation, variables), calls);

  return {
    execute: (request) => run(request, {}),

    async subscribe(request) {
      const { document, operation, variables, caller } = request;
      const events = await createSourceEventStream({
        schema,
        document,
        operationName: operation.name?.value,
        contextValue: contextOf(request),
        variableValues: variables,
      });
      if (!(Symbol.asyncIterator in events)) {
        return {
          ...events,
          errors: events.errors?.map((error) => presentError(error, caller.requestId, log)) ?? [],
        };
      }
      // Every event is read with a context of its own: what was loaded for one is the past for the next.
      return mapEvents(events[Symbol.asyncIterator](), (event) => run(request, event));
    },
  };
}
