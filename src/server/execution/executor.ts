import {
  createSourceEventStream,
  type ExecutionResult,
  type GraphQLSchema,
  getVariableValues,
} from 'graphql';
import type { Logger } from 'pino';
import { type ErrorCode, InputError, type UpstreamName } from '../../errors.ts';
import type { Context } from '../../graph/context.ts';
import { createOperationPlans } from '../../graph/operation-plans.ts';
import type { ResponseMeter } from '../../graph/response-meter.ts';
import type { Selection } from '../../graph/selection.ts';
import type { UserError } from '../../graph/user-errors.ts';
import { type CallObserver, createExplainObserver, type ExplainedCall } from '../../http/call-tracing.ts';
import { mapAsyncIterator, onFinish } from '../../runtime/async-iterators.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import type { Caller } from '../caller.ts';
import { type PresentableError, presentErrors } from '../errors.ts';
import type { GraphqlRequest } from '../guard/guard.ts';
import type { OperationObserver, OperationOutcome } from '../observer.ts';

export interface ContextParts {
  readonly caller: Caller;
  /** When to stop waiting for upstreams; null for mutations and subscriptions. */
  readonly deadline: Deadline | null;
  readonly selection: Selection;
  /** Observers of every upstream call made with the context. */
  readonly observers: readonly CallObserver[];
  /** Called with the first user error of each mutation. */
  readonly onUserError?: (error: UserError) => void;
}

export interface Executor {
  /** Executes a query or mutation. `deadline` is null for mutations, which have none. */
  execute(request: GraphqlRequest, deadline: Deadline | null): Promise<ExecutionResult>;
  /** Observes a request that shares the result of another. Call the returned function with that result. */
  observeShared(request: GraphqlRequest): (result: ExecutionResult) => void;
  /** Resolves to a result for every event, or to a single result with errors if the subscription cannot start. */
  subscribe(request: GraphqlRequest): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>;
}

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  readonly createContext: (parts: ContextParts) => Context;
  /** Creates the meter that limits the response to a request. */
  readonly createMeter: (request: GraphqlRequest) => ResponseMeter;
  /** Whether errors in variables may suggest names from the schema. */
  readonly suggestsNames: boolean;
  readonly observer?: OperationObserver | undefined;
  readonly log: Logger;
}

// graphql-js adds one more error, which says that there are more.
const maxVariableErrors = 4;

export function createExecutor(options: ExecutorOptions): Executor {
  const { schema, suggestsNames, createContext, createMeter, observer, log } = options;
  const getPlan = createOperationPlans(schema);

  const coerceVariables = ({ operation, variables }: GraphqlRequest) =>
    getVariableValues(schema, operation.variableDefinitions ?? [], variables, {
      maxErrors: maxVariableErrors,
      hideSuggestions: !suggestsNames,
    });

  const observe = (request: GraphqlRequest) => {
    const observed = observer?.operationStarted(request);
    return (result: ExecutionResult) => observed?.end(toOutcome(result));
  };

  /** Executes a query or mutation, or the selection of a subscription with an event as the root value. */
  const run = async (
    request: GraphqlRequest,
    rootValue: unknown,
    deadline: Deadline | null,
  ): Promise<ExecutionResult> => {
    const { document, operation, caller } = request;
    const observed = observer?.operationStarted(request);
    const meter = createMeter(request);
    const calls: ExplainedCall[] | null = caller.isExplained ? [] : null;
    let data: ExecutionResult['data'];
    let errors: readonly PresentableError[];
    let userError: UserError | undefined;
    try {
      const variables = coerceVariables(request);
      if (variables.errors) errors = variables.errors;
      else {
        const { selection, projection } = getPlan(document, operation, variables.coerced);
        if (meter.isLongWork()) await meter.waitForTurn();
        const observers = observed?.observers ?? [];
        const onUserError = (error: UserError) => {
          userError ??= error;
        };
        const context = createContext({
          caller,
          deadline,
          selection,
          observers: calls ? [...observers, createExplainObserver(calls)] : observers,
          onUserError,
        });
        ({ data, errors } = await projection.execute({
          rootValue,
          context,
          variables: variables.coerced,
          meter,
        }));
      }
    } catch (error) {
      errors = [toRequestError(error as Error)];
    }
    const result: ExecutionResult = {
      ...(errors.length > 0 && { errors: presentErrors(errors, caller.requestId, log) }),
      ...(data !== undefined && { data }),
      ...(calls && { extensions: { upstream: calls } }),
    };
    meter.release();
    observed?.end(toOutcome(result, userError));
    return result;
  };

  const rejectSubscription = (
    request: GraphqlRequest,
    errors: readonly PresentableError[] = [],
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
      const { document, operation, variables, caller } = request;
      const { coerced, errors } = coerceVariables(request);
      if (errors) return rejectSubscription(request, errors);
      let events: Awaited<ReturnType<typeof createSourceEventStream>>;
      try {
        const { selection } = getPlan(document, operation, coerced);
        if (selection.ofType('Subscription').fields.size === 0)
          throw new InputError(
            'A subscription selects one field. This one leaves it out by `@skip` or `@include`.',
          );
        events = await createSourceEventStream({
          schema,
          document,
          operationName: operation.name?.value,
          contextValue: createContext({ caller, deadline: null, selection, observers: [] }),
          variableValues: variables,
        });
      } catch (error) {
        return rejectSubscription(request, [toRequestError(error as Error)]);
      }
      if (!(Symbol.asyncIterator in events)) return rejectSubscription(request, events.errors);
      // A new context per event, so that data of an earlier event is not reused.
      const results = mapAsyncIterator(events[Symbol.asyncIterator](), (event) => run(request, event, null));
      return observer ? onFinish(results, observer.subscriptionStarted()) : results;
    },
  };
}

const toRequestError = (originalError: Error): PresentableError => ({
  message: originalError.message,
  nodes: undefined,
  path: [],
  originalError,
});

function toOutcome({ errors }: ExecutionResult, userError?: UserError): OperationOutcome {
  const [error] = errors ?? [];
  if (!error)
    return {
      code: userError?.code ?? 'OK',
      reason: userError?.message,
      upstreamCode: userError?.upstream?.code,
    };
  const { code, upstream } = error.extensions as { code: ErrorCode; upstream?: UpstreamName };
  return { code, reason: error.message, upstream };
}
