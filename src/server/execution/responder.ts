import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { type OnLate, type SharedRun, SingleFlight } from '../../runtime/single-flight.ts';
import type { Caller } from '../caller.ts';
import { digestTokens } from '../caller-tokens.ts';
import type { ContentCoding } from '../content-coding.ts';
import type { GraphqlRequest } from '../guard/guard.ts';
import type { Executor } from './executor.ts';

/** Executes requests and serializes results. Concurrent identical queries of one caller are executed once. */
export interface Responder extends Pick<Executor, 'execute'> {
  respond(request: GraphqlRequest, deadline: Deadline | null): Promise<SerializedResponse>;
}

/**
 * Queries are identical if they have the same tokens, `Accept-Language` (upstreams localize their errors), document,
 * operation and variables, and if no write happened between them. After a mutation's response, queries that started
 * before it are not joined. `countWrites`, which includes known writes of other replicas, is part of the key. Explained
 * queries and reads of the primary are never shared.
 */
export function createResponder(executor: Executor, log: Logger, countWrites: () => number): Responder {
  const queries = new SingleFlight<SharedQueryResult | null>({ until: 'first' });

  const getKey = ({ operationId, variables, caller: { tokens, language } }: GraphqlRequest): string =>
    `${digestTokens(tokens)} ${operationId} ${countWrites()} ${language ?? ''} ${JSON.stringify(variables)}`;

  // Introspection is a long synchronous task, so it waits in the cooperative queue. Other operations start immediately.
  const executeQueueingIntrospection = (request: GraphqlRequest, deadline: Deadline | null) =>
    isIntrospection(request)
      ? waitForTurn(request.caller.key).then(() => executor.execute(request, deadline))
      : executor.execute(request, deadline);

  const start = (key: string, request: GraphqlRequest): SharedQuery =>
    queries.start(key, async (deadline) => {
      const result = await executeQueueingIntrospection(request, deadline);
      deadline.end();
      return { result, response: result.errors ? null : serializeResult(result) };
    });

  const share = async (request: GraphqlRequest, deadline: Deadline): Promise<SerializedResponse> => {
    const { caller } = request;
    const key = getKey(request);
    const running = queries.get(key);
    if (!running || !canJoin(running, deadline)) {
      const started = await start(key, request).wait(deadline, leaveQuery);
      return started?.response ?? serializeResult(started?.result ?? timeoutResult(caller, log));
    }
    const observeResult = executor.observeShared(request);
    const joined = await running.wait(deadline, leaveQuery);
    const result = joined?.result ?? timeoutResult(caller, log);
    observeResult(result);
    if (!joined) return serializeResult(result);
    return joined.response ? encode(joined.response) : serializeResult(withRequestId(result, caller));
  };

  const execute = async (request: GraphqlRequest, deadline: Deadline | null): Promise<ExecutionResult> => {
    const result = await executeQueueingIntrospection(request, deadline);
    if (request.operation.operation === 'mutation') queries.detach();
    return result;
  };

  return {
    execute,
    respond(request, deadline) {
      const { isExplained, readsPrimary } = request.caller;
      return deadline === null || isExplained || readsPrimary
        ? execute(request, deadline).then(serializeResult)
        : share(request, deadline);
    },
  };
}

/** Creates the result of a request whose deadline expired before that of the query it joined. It names no upstream. */
function timeoutResult({ requestId }: Caller, log: Logger): ExecutionResult {
  const code = 'UPSTREAM_TIMEOUT';
  log.info({ requestId, code });
  const message =
    'The request timed out before all upstreams had responded. Request less at a time, or try again later.';
  return { errors: [new GraphQLError(message, { path: [], extensions: { code, requestId } })], data: null };
}

/** Encodes a response once for all requests that joined it. */
function encode(response: SerializedResponse): SerializedResponse {
  if (typeof response.body === 'string') response.body = Buffer.from(response.body);
  return response;
}

/** Replaces the request id in errors, which belongs to the request that started the query. */
function withRequestId({ errors = [], ...rest }: ExecutionResult, { requestId }: Caller): ExecutionResult {
  const ownErrors = errors.map(({ message, extensions, locations, path }) => ({
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { ...extensions, requestId },
  }));
  return { ...rest, errors: ownErrors as unknown as readonly GraphQLError[] };
}

export interface SharedQueryResult {
  readonly result: ExecutionResult;
  /** Null if the result has errors, since each request gets its own request id in them. */
  readonly response: SerializedResponse | null;
}

/** A query that is executed once, with the deadline of the request that started it. Null for a request that has left. */
export type SharedQuery = SharedRun<SharedQueryResult | null>;

// Timers may fire slightly early.
const timerToleranceMs = 10;

/** Whether a request with this deadline may join: the query must have at least half of the request's time left. */
function canJoin(query: SharedQuery, deadline: Deadline): boolean {
  const now = performance.now();
  return !query.deadline.isExpired && query.deadline.at - now >= (deadline.at - now) / 2;
}

/**
 * Ends the query if its deadline has come, so that the request gets partial data. Before that, leaves the query with
 * null.
 */
const leaveQuery: OnLate<SharedQueryResult | null> = (query, resolve) => {
  if (performance.now() + timerToleranceMs >= query.deadline.at) return query.deadline.end();
  query.leave();
  resolve(null);
};

/** Whether a request selects `__schema` or `__type`, which takes long and runs synchronously. */
const isIntrospection = ({ rootFields }: GraphqlRequest): boolean =>
  rootFields.has('__schema') || rootFields.has('__type');

/** A JSON body, for one request or several that share it. */
export interface ResponseBody {
  /** A string; encoded as UTF-8 as soon as several requests send it. */
  body: string | Buffer;
  /** The compressed body, once per requested coding. */
  compressed?: Partial<Record<ContentCoding, Buffer | Promise<Buffer>>>;
}

export interface SerializedResponse extends ResponseBody {
  readonly status: 200 | 400 | 503;
  readonly hasErrors: boolean;
}

/** Serializes a result. The status is 400 or 503 without `data`, since nothing was executed. */
function serializeResult({ errors, data, extensions }: ExecutionResult): SerializedResponse {
  const isOverloaded = errors?.[0]?.extensions.code === 'OVERLOADED';
  const status = errors && data === undefined ? (isOverloaded ? 503 : 400) : 200;
  return {
    status,
    hasErrors: errors !== undefined,
    body: `${JSON.stringify({ errors, data, extensions })}\n`,
  };
}
