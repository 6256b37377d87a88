import { GraphQLError, type GraphQLFormattedError, Kind } from 'graphql';
import type { Logger } from 'pino';
import { InputError, UpstreamError } from '../errors.ts';
import { presentable } from './refusal.ts';

/**
 * An error of execution as the caller may see it: a documented code, and never an address, header, token,
 * stack or body. What is not expected becomes INTERNAL_SERVER_ERROR and is logged under the request's id.
 */
export function presentError(error: GraphQLError, requestId: string, log: Logger): GraphQLError {
  const cause = causeOf(error);
  if (cause instanceof UpstreamError) {
    log.info({
      requestId,
      upstream: cause.upstream,
      code: cause.code,
      status: cause.status,
      path: error.path,
    });
    const { code, upstream, detail, retryAfterSeconds } = cause;
    return shown(error, cause.message, {
      code,
      upstream,
      ...(detail && { upstreamError: detail }),
      ...(retryAfterSeconds !== null && { retryAfterSeconds }),
      requestId,
    });
  }
  if (cause instanceof InputError) return shown(error, cause.message, { code: cause.code, requestId });
  // The scalars say what is wrong with a value. Codes of others stand beside words that are not for callers.
  const { code } = (cause as Partial<GraphQLError>).extensions ?? {};
  if (code === 'BAD_USER_INPUT') return shown(error, error.message, { code, requestId });
  // Without a path the operation never began: its variables do not fit. And what graphql-js says of the value of an
  // argument, it says of a variable that is null where it may not be.
  if (!error.path || isOfValue(cause))
    return shown(error, error.message, { code: 'BAD_USER_INPUT', requestId });
  log.error({ requestId, path: error.path, err: cause });
  return shown(error, 'The layer failed at this field. The operators can find out why by the requestId.', {
    code: 'INTERNAL_SERVER_ERROR',
    requestId,
  });
}

const isOfValue = (cause: Error): boolean =>
  cause instanceof GraphQLError && cause.nodes?.[0] !== undefined && cause.nodes[0].kind !== Kind.FIELD;

function causeOf(error: GraphQLError): Error {
  let cause: Error = error;
  while (cause instanceof Error && 'originalError' in cause && cause.originalError instanceof Error) {
    cause = cause.originalError;
  }
  return cause;
}

function shown(error: GraphQLError, message: string, extensions: Record<string, unknown>): GraphQLError {
  const { nodes, source, positions, path } = error;
  return new GraphQLError(presentable(message), {
    nodes: nodes ?? null,
    source: source ?? null,
    positions: positions ?? null,
    path: path ?? null,
    extensions,
  });
}

/** A failure of the transport, in the shape every GraphQL client reads. */
export function transportError(
  message: string,
  code: string,
  requestId: string,
): { errors: GraphQLFormattedError[] } {
  return { errors: [{ message, extensions: { code, requestId } }] };
}
