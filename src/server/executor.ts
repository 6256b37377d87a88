import {
  createSourceEventStream,
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
} from 'graphql';
import type { Logger } from 'pino';
import type { AnswerMeter } from '../graph/answer-meter.ts';
import type { Context } from '../graph/context.ts';
import { createSelections, type Selection } from '../graph/selection.ts';
import { mapEvents } from '../operations/map-events.ts';
import type { Deadline } from '../upstream/deadline.ts';
import { type ExplainedCall, explaining } from '../upstream/explain.ts';
import type { CallWatch } from '../upstream/watch.ts';
import type { Caller } from './caller.ts';
import { createCompiler } from './compiler.ts';
import { once } from './connections.ts';
import { presentError } from './errors.ts';
import type { OperationObserver, Outcome } from './observer.ts';
import { createPacing } from './pacing.ts';
import { releasing } from './releasing.ts';
import { createVariableCoercion } from './variables.ts';

/** An operation that the guard has let through. */
export interface Request {
  /** The same for requests that name the same operation of the same document alike. */
  readonly operationId: number;
  /** The document as it was written. */
  readonly text: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
  /** How many upstream rows it asks for at most. */
  readonly rows: number;
  readonly caller: Caller;
}

/** What the context of an operation is made of. */
export interface Asking {
  readonly caller: Caller;
  /** Until when upstreams are waited for; null where nobody waits. */
  readonly deadline: Deadline | null;
  readonly selection: Selection;
  readonly meter: AnswerMeter;
  /** They follow every upstream call made with the context. */
  readonly watches: readonly CallWatch[];
}

export interface Executor {
  /** `deadline` is until when a query is waited for; null where a change is asked for. */
  execute(request: Request, deadline: Deadline | null): Promise<ExecutionResult>;
  /** Counts an operation that is answered by what another was; what is returned is told its result. */
  joined(request: Request): (result: ExecutionResult) => void;
  /** A result for every event; a single result when the subscription cannot begin. */
  subscribe(request: Request): Promise<AsyncIterableIterator<ExecutionResult> | ExecutionResult>;
}

export interface ExecutorOptions {
  readonly schema: GraphQLSchema;
  readonly createContext: (asking: Asking) => Context;
  readonly compileAfter: number | 'never';
  /** What counts the answer to a request while it is made. */
  readonly createMeter: (request: Request) => AnswerMeter;
  readonly observer?: OperationObserver | undefined;
  readonly log: Logger;
}

/** Runs operations for every transport: compiled once they come again, interpreted until then. */
export function createExecutor(options: ExecutorOptions): Executor {
  const { schema, createContext, compileAfter, createMeter, observer, log } = options;
  const selectionOf = createSelections(schema);
  const compiler = createCompiler({ schema, compileAfter, onCompiled: observer?.compiled });
  const coerceVariables = createVariableCoercion(schema);
  const pacing = createPacing();

  const run = async (
    request: Request,
    rootValue: unknown,
    deadline: Deadline | null,
  ): Promise<ExecutionResult> => {
    const { document, operation, variables, caller } = request;
    const present = (error: GraphQLError) => presentError(error, caller.requestId, log);
    const running = observer?.begin(request);
    const watches = running?.watches ?? [];
    const entered = deadline && pacing.enter(request.rows, deadline, caller);
    const leave = entered instanceof Promise ? await entered : entered;
    const meter = createMeter(request);
    let result: ExecutionResult;
    try {
      const { coerced, errors } = coerceVariables(operation, variables);
      const compiled =
        coerced &&
        (compiler.known(operation, coerced) ?? (await compiler.next(document, operation, coerced)));
      const calls: ExplainedCall[] | null = caller.isExplained ? [] : null;
      const round = meter.round();
      if (round) await round;
      const followed = calls ? [...watches, explaining(calls)] : watches;
      const context = contextOf(request, deadline, meter, followed);
      result = errors
        ? { errors }
        : await (compiled?.execute(rootValue, context, coerced) ??
            execute({
              schema,
              document,
              operationName: operation.name?.value,
              rootValue,
              contextValue: context,
              variableValues: variables,
            }));
      // A change has been made, and says so however little of the answer there is.
      if (meter.failure && operation.operation !== 'mutation') throw meter.failure;
      if (calls) result = { ...result, extensions: { upstream: calls } };
      if (compiled) result.errors?.forEach(compiled.locate);
      if (result.errors) result = { ...result, errors: result.errors.map(present) };
    } catch (error) {
      const originalError = error as Error;
      result = { errors: [present(new GraphQLError(originalError.message, { originalError, path: [] }))] };
    }
    meter.release();
    leave?.();
    running?.end(outcomeOf(result));
    return result;
  };

  const contextOf = (
    { document, operation, variables, caller }: Request,
    deadline: Deadline | null,
    meter: AnswerMeter,
    watches: readonly CallWatch[],
  ) =>
    createContext({
      caller,
      deadline,
      selection: selectionOf(document, operation, variables),
      meter,
      watches,
    });

  const refused = (request: Request, errors: readonly GraphQLError[] = []): ExecutionResult => {
    const running = observer?.begin(request);
    const { requestId } = request.caller;
    const result = { errors: errors.map((error) => presentError(error, requestId, log)) };
    running?.end(outcomeOf(result));
    return result;
  };

  return {
    execute: (request, deadline) => run(request, {}, deadline),

    joined(request) {
      const running = observer?.begin(request);
      return (result) => running?.end(outcomeOf(result));
    },

    async subscribe(request) {
      const { document, operation, variables } = request;
      const { errors: faults } = coerceVariables(operation, variables);
      if (faults) return refused(request, faults);
      const events = await createSourceEventStream({
        schema,
        document,
        operationName: operation.name?.value,
        contextValue: contextOf(request, null, createMeter(request), []),
        variableValues: variables,
      });
      if (!(Symbol.asyncIterator in events)) return refused(request, events.errors);
      // Every event is read with a context of its own: what was loaded for one is the past for the next.
      const results = mapEvents(events[Symbol.asyncIterator](), (event) => run(request, event, null));
      return observer ? releasing(results, once(observer.subscribed())) : results;
    },
  };
}

const outcomeOf = ({ errors }: ExecutionResult): Outcome =>
  (errors?.[0]?.extensions.code as Outcome | undefined) ?? 'OK';
