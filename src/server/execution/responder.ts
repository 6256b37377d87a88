import { type ExecutionResult, GraphQLError } from 'graphql';
import type { Logger } from 'pino';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import type { Deadline } from '../../runtime/deadline.ts';
import { SingleFlight } from '../../runtime/single-flight.ts';
import type { Caller } from '../caller.ts';
import { digestTokens } from '../caller-tokens.ts';
import type { GraphqlRequest } from '../request.ts';
import type { Executor } from './executor.ts';
import { createIntrospectionCache, isIntrospection } from './introspection-cache.ts';
import { canJoin, leaveQuery, type SharedQuery, type SharedQueryResult } from './query-sharing.ts';
import { type SerializedResponse, serializeResult } from './serialized-response.ts';

/**
 * Executes requests and serializes results. Identical queries of one caller that run at the same time are
 * executed once.
 */
export interface Responder extends Pick<Executor, 'execute'> {
  respond(request: GraphqlRequest, deadline: Deadline | null): Promise<SerializedResponse>;
}

/**
 * Queries are identical if they have the same tokens, `Accept-Language` (upstreams localize their errors),
 * document, operation and variables, and no write happened between them: a query that started before a mutation's
 * response is not joined after it, and `countWrites`, which includes the writes of other replicas as far as known,
 * is part of the key. Explained queries and reads of the primary are never shared.
 */
export function createResponder(executor: Executor, log: Logger, countWrites: () => number): Responder {
  const introspection = createIntrospectionCache();
  const queries = new SingleFlight<SharedQueryResult | null>({ until: 'first' });

  const keyOf = ({ operationId, variables, caller: { tokens, language } }: GraphqlRequest): string =>
    `${digestTokens(tokens)} ${operationId} ${countWrites()} ${language ?? ''} ${JSON.stringify(variables)}`;

  // Introspection is a long piece of synchronous work, and waits for its turn. All else runs at once.
  const executeQueueingIntrospection = async (
    request: GraphqlRequest,
    deadline: Deadline | null,
  ): Promise<ExecutionResult> => {
    if (isIntrospection(request)) await waitForTurn(request.caller.key);
    return executor.execute(request, deadline);
  };

  const start = (key: string, request: GraphqlRequest): SharedQuery =>
    queries.start(key, async (deadline) => {
      const result = await executeQueueingIntrospection(request, deadline);
      deadline.end();
      const response = result.errors ? null : serializeResult(result);
      if (response) introspection.set(request, response);
      return { result, response };
    });

  const share = async (request: GraphqlRequest, deadline: Deadline): Promise<SerializedResponse> => {
    const { caller } = request;
    const key = keyOf(request);
    const running = queries.get(key);
    if (!running || !canJoin(running, deadline)) {
      const started = await start(key, request).wait(deadline, leaveQuery);
      return started?.response ?? serializeResult(started?.result ?? timeoutResult(caller, log));
    }
    const observeResult = executor.observeShared(request);
    caller.slot?.setSharing(true);
    const joined = await running.wait(deadline, leaveQuery);
    caller.slot?.setSharing(false);
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
      if (deadline === null || isExplained || readsPrimary)
        return execute(request, deadline).then(serializeResult);
      const cached = introspection.get(request);
      if (!cached) return share(request, deadline);
      executor.observeShared(request)({});
      return Promise.resolve(cached);
    },
  };
}

/** The result for a request whose time is over before that of the query it shares. No upstream is to blame. */
function timeoutResult({ requestId }: Caller, log: Logger): ExecutionResult {
  const code = 'UPSTREAM_TIMEOUT';
  log.info({ requestId, code });
  const message =
    'The request timed out before all upstreams had responded. Request less at a time, or try again later.';
  return { errors: [new GraphQLError(message, { path: [], extensions: { code, requestId } })], data: null };
}

/** Encodes a response once for all requests that joined. */
function encode(response: SerializedResponse): SerializedResponse {
  if (typeof response.body === 'string') response.body = Buffer.from(response.body);
  return response;
}

/** Replaces the request id in errors, which is that of the request that started the query. */
function withRequestId({ errors = [], ...rest }: ExecutionResult, { requestId }: Caller): ExecutionResult {
  const ownErrors = errors.map(({ message, extensions, locations, path }) => ({
    message,
    ...(locations && { locations }),
    ...(path && { path }),
    extensions: { ...extensions, requestId },
  }));
  return { ...rest, errors: ownErrors as unknown as readonly GraphQLError[] };
}
