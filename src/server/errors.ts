import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import type { Logger } from 'pino';
import { InputError, UpstreamError } from '../errors.ts';
import { shortenMessage } from './rejection.ts';

/**
 * Converts an execution error to what the caller may see: a documented code, and never an address, header,
 * token, stack or body. Unexpected errors become INTERNAL_SERVER_ERROR and are logged with the request id.
 */
export function presentError(error: GraphQLError, requestId: string, log: Logger): GraphQLError {
  const cause = originalCauseOf(error);
  if (cause instanceof UpstreamError) {
    const { code, upstream, detail, retryAfterSeconds, upstreamRequestId, claims } = cause;
    log.info({
      requestId,
      upstream,
      code,
      status: cause.status,
      ...(upstreamRequestId !== null && { upstreamRequestId }),
      path: error.path,
    });
    return toGraphqlError(error, cause.message, {
      code,
      upstream,
      ...(detail && { upstreamError: detail }),
      ...(retryAfterSeconds !== null && { retryAfterSeconds }),
      ...(upstreamRequestId !== null && { upstreamRequestId }),
      ...(claims !== null && { claims }),
      requestId,
    });
  }
  if (cause instanceof InputError)
    return toGraphqlError(error, cause.message, { code: cause.code, requestId });
  // Scalars report invalid values with this code. Messages with other codes may hold internal details.
  const { code } = (cause as Partial<GraphQLError>).extensions ?? {};
  if (code === 'BAD_USER_INPUT') return toGraphqlError(error, error.message, { code, requestId });
  // An error without a path means that variables could not be coerced. An error at an argument means a null
  // variable where null is not allowed.
  if (!error.path || isArgumentError(cause))
    return toGraphqlError(error, error.message, { code: 'BAD_USER_INPUT', requestId });
  log.error({ requestId, path: error.path, err: cause });
  return toGraphqlError(
    error,
    'Internal error at this field. The operators can find the cause by the requestId.',
    {
      code: 'INTERNAL_SERVER_ERROR',
      requestId,
    },
  );
}

const isArgumentError = (cause: Error): boolean =>
  cause instanceof GraphQLError && cause.nodes?.[0] !== undefined && cause.nodes[0].kind !== Kind.FIELD;

function originalCauseOf(error: GraphQLError): Error {
  let cause: Error = error;
  while (cause instanceof Error && 'originalError' in cause && cause.originalError instanceof Error) {
    cause = cause.originalError;
  }
  return cause;
}

function toGraphqlError(
  error: GraphQLError,
  message: string,
  extensions: Record<string, unknown>,
): GraphQLError {
  const { nodes, source, positions, path } = error;
  return new GraphQLError(shortenMessage(message), {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
}

/** Formats a transport error as a GraphQL response body. */
export function transportError(
  message: string,
  code: string,
  requestId: string,
): { errors: GraphQLFormattedError[] } {
  return { errors: [{ message, extensions: { code, requestId } }] };
}
