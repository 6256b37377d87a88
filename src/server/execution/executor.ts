import {
  createSourceEventStream,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
} from 'graphql';
import type { Logger } from 'pino';
import type { Context } from '../../graph/context.ts';
import type { ResponseMeter } from '../../graph/response-meter.ts';
import { createSelectionCache, type Selection } from '../../graph/selection.ts';
import type { CallObserver } from '../../http/call-tracing.ts';
import { createExplainObserver, type ExplainedCall } from '../../http/call-tracing.ts';
import { mapAsyncIterator, onFinish } from '../../runtime/async-iterators.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import type { Caller } from '../caller.ts';
import { presentErrors } from '../errors.ts';
import type { GraphqlRequest } from '../guard/guard.ts';
import type { OperationObserver, OperationOutcome } from '../observer.ts';
import { createCompiler } from './compiler.ts';
import { type CoerceRequestVariables, createVariableCoercion } from './variable-coercion.ts';

/** Inputs for an operation's context. */
export interface ContextParts {
  readonly caller: Caller;
  /** When to stop waiting for upstreams; null for mutations and subscriptions. */
  readonly deadline: Deadline | null;
  readonly selection: Selection;
  readonly meter: ResponseMeter;
  /** Observers of every upstream call made with the context. */
  readonly observers: readonly CallObserver[];
}

export interface Executor {
  /** Executes a query or mutation. `deadline` is null for mutations, which are never cut short. */
  execute(request: GraphqlRequest, deadline: Deadline | null): Promise<ExecutionResult>;
  /**
   * Tells the observer of a request that shares the result of another. Call the returned function with that
   * result.
   */
  observeShared(request: GraphqlRequest): (result: ExecutionResult) => void;
  /** Resolves to a result for every event, or to a single result with errors if the subscription cannot start. */
  subscribe(request: GraphqlRequest): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>;
}

export interface ExecutorOptions extends OperationRunnerOptions {
  readonly createContext: (parts: ContextParts) => Context;
  /** Whether errors in variables may suggest names from the schema. */
  readonly suggestsNames: boolean;
}

/** Executes operations of all transports. */
export function createExecutor(options: ExecutorOptions): Executor {
  const { schema, createContext, createMeter, observer, log } = options;
  const selectionOf = createSelectionCache(schema);
  const coerceVariables = createVariableCoercion(schema, options.suggestsNames);

  const createRequestContext = (
    { document, operation, variables, caller }: GraphqlRequest,
    deadline: Deadline | null,
    meter: ResponseMeter,
    observers: readonly CallObserver[],
  ) =>
    createContext({
      caller,
      deadline,
      selection: selectionOf(document, operation, variables),
      meter,
      observers,
    });
  const run = createOperationRunner(options, { coerceVariables, createRequestContext });

  const observe = (request: GraphqlRequest) => {
    const observed = observer?.operationStarted(request);
    return (result: ExecutionResult) => observed?.end(outcomeOf(result));
  };

  const rejectSubscription = (
    request: GraphqlRequest,
    errors: readonly GraphQLError[] = [],
  ): ExecutionResult => {
    const observeResult = observe(request);
    const { requestId } = request.caller;
    const result = { errors: presentErrors(errors, requestId, log) };
    observeResult(result);
    return result;
  };

  return {
    execute: (request, deadline) => run(request, {}, deadline),
    observeShared: observe,

    async subscribe(request) {
      const { document, operation, variables } = request;
      const { errors } = coerceVariables(operation, variables);
      if (errors) return rejectSubscription(request, errors);
      const events = await createSourceEventStream({
        schema,
        document,
        operationName: operation.name?.value,
        contextValue: createRequestContext(request, null, createMeter(request), []),
        variableValues: variables,
      });
      if (!(Symbol.asyncIterator in events)) return rejectSubscription(request, events.errors);
      // A new context for each event, so that nothing loaded for an earlier event is reused.
      const results = mapAsyncIterator(events[Symbol.asyncIterator](), (event) => run(request, event, null));
      return observer ? onFinish(results, observer.subscriptionStarted()) : results;
    },
  };
}

/** Runs a query or mutation, or reads one event of a subscription, which is then the root value. */
export type RunOperation = (
  request: GraphqlRequest,
  rootValue: unknown,
  deadline: Deadline | null,
) => Promise<ExecutionResult>;

export interface OperationRunnerOptions {
  readonly schema: GraphQLSchema;
  /** Number of uses before an operation is compiled. */
  readonly compileAfter: number | 'never';
  /** Creates the meter that limits the response to a request. */
  readonly createMeter: (request: GraphqlRequest) => ResponseMeter;
  readonly observer?: OperationObserver | undefined;
  readonly log: Logger;
}

export interface OperationRunnerTools {
  readonly coerceVariables: CoerceRequestVariables;
  createRequestContext(
    request: GraphqlRequest,
    deadline: Deadline | null,
    meter: ResponseMeter,
    observers: readonly CallObserver[],
  ): Context;
}

/** Operations are interpreted at first, and compiled when they repeat. */
function createOperationRunner(
  { schema, compileAfter, createMeter, observer, log }: OperationRunnerOptions,
  { coerceVariables, createRequestContext }: OperationRunnerTools,
): RunOperation {
  const compiler = createCompiler({ schema, compileAfter, onCompiled: observer?.operationCompiled });

  const interpret = (
    { document, operation, variables }: GraphqlRequest,
    rootValue: unknown,
    contextValue: Context,
  ) =>
    execute({
      schema,
      document,
      operationName: operation.name?.value,
      rootValue,
      contextValue,
      variableValues: variables,
    });

  return async (request, rootValue, deadline) => {
    const { document, operation, variables, caller } = request;
    const observed = observer?.operationStarted(request);
    const meter = createMeter(request);
    let result: ExecutionResult;
    try {
      const { coerced, errors } = coerceVariables(operation, variables);
      const compiled =
        coerced &&
        (compiler.get(operation, coerced) ??
          (await compiler.countUse(document, operation, coerced, caller.key)));
      const calls: ExplainedCall[] | null = caller.isExplained ? [] : null;
      const turn = meter.waitForTurn();
      if (turn) await turn;
      const observers = callObservers(observed?.observers ?? [], calls);
      const context = createRequestContext(request, deadline, meter, observers);
      result = errors
        ? { errors }
        : await (compiled?.execute(rootValue, context, coerced) ?? interpret(request, rootValue, context));
      meter.addErrors(result.errors?.length ?? 0);
      // A mutation has already taken effect: report it, however large the response.
      if (meter.failure && operation.operation !== 'mutation') throw meter.failure;
      if (compiled) result.errors?.forEach(compiled.addNodes);
      if (result.errors) result = { ...result, errors: presentErrors(result.errors, caller.requestId, log) };
      if (calls) result = { ...result, extensions: { upstream: calls } };
    } catch (error) {
      const originalError = error as Error;
      const failure = new GraphQLError(originalError.message, { originalError, path: [] });
      result = { errors: presentErrors([failure], caller.requestId, log) };
    }
    meter.release();
    observed?.end(outcomeOf(result));
    return result;
  };
}

const callObservers = (observers: readonly CallObserver[], calls: ExplainedCall[] | null) =>
  calls ? [...observers, createExplainObserver(calls)] : observers;

const outcomeOf = ({ errors }: ExecutionResult): OperationOutcome =>
  (errors?.[0]?.extensions.code as OperationOutcome | undefined) ?? 'OK';
