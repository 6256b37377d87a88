import { GraphQLError, Kind } from 'graphql';
import type { Logger } from 'pino';
import { InputError, UpstreamError, withoutStacks } from '../errors.ts';
import { shortenMessage } from './rejection.ts';

/** An error of an operation. It has no path if the request is invalid. */
export type PresentableError = Pick<GraphQLError, 'message' | 'nodes' | 'path' | 'originalError'>;

/**
 * Converts the errors of an operation to errors for the caller: with a documented code, and without addresses, headers,
 * tokens, stacks or bodies. Unexpected errors become INTERNAL_SERVER_ERROR. Logs one line per kind of failure for
 * operators, with the request id and the path of the first error.
 */
export function presentErrors(
  errors: readonly PresentableError[],
  requestId: string,
  log: Logger,
): readonly GraphQLError[] {
  const lines = new Map<string, LogLine>();
  const logOnce = (kind: string, level: LogLine['level'], fields: object, { path }: PresentableError) => {
    const line = lines.get(kind);
    if (line) line.times += 1;
    else lines.set(kind, { level, fields: { requestId, ...fields, path }, times: 1 });
  };
  const presented = withoutStacks(() => errors.map((error) => presentError(error, requestId, logOnce)));
  for (const { level, fields, times } of lines.values())
    log[level]({ ...fields, ...(times > 1 && { times }) });
  return presented;
}

interface LogLine {
  readonly level: 'info' | 'error';
  readonly fields: object;
  /** How many errors of the operation are of this kind. */
  times: number;
}

function presentError(
  error: PresentableError,
  requestId: string,
  logOnce: (kind: string, level: LogLine['level'], fields: object, error: PresentableError) => void,
): GraphQLError {
  const cause = findCause(error);
  if (cause instanceof UpstreamError) {
    const { code, upstream, detail, retryAfterSeconds, upstreamRequestId, status, claims } = cause;
    const requestIds = { ...(upstreamRequestId !== null && { upstreamRequestId }) };
    logOnce(`${upstream} ${code} ${status}`, 'info', { upstream, code, status, ...requestIds }, error);
    return toGraphqlError(error, cause.message, {
      code,
      upstream,
      ...(detail && { upstreamError: detail }),
      ...(retryAfterSeconds !== null && { retryAfterSeconds }),
      ...requestIds,
      ...(claims !== null && { claims }),
      requestId,
    });
  }
  if (cause instanceof InputError)
    return toGraphqlError(error, cause.message, { code: cause.code, requestId });
  // Scalars report invalid values with this code. Messages with other codes may contain internal details.
  const { code } = (cause as Partial<GraphQLError>).extensions ?? {};
  if (code === 'BAD_USER_INPUT') return toGraphqlError(error, error.message, { code, requestId });
  // An error without a path means that variables could not be coerced; an error at an argument, that a variable is null
  // where null is not allowed.
  if (!error.path || isArgumentError(cause))
    return toGraphqlError(error, error.message, { code: 'BAD_USER_INPUT', requestId });
  logOnce(cause.message, 'error', { err: cause }, error);
  const message = 'Internal error at this field. The operators can find the cause by the requestId.';
  return toGraphqlError(error, message, { code: 'INTERNAL_SERVER_ERROR', requestId });
}

const isArgumentError = (cause: Error): boolean =>
  cause instanceof GraphQLError && cause.nodes?.[0] !== undefined && cause.nodes[0].kind !== Kind.FIELD;

function findCause(error: PresentableError): Error {
  let cause = (error.originalError ?? error) as Error;
  while (cause instanceof Error && 'originalError' in cause && cause.originalError instanceof Error) {
    cause = cause.originalError;
  }
  return cause;
}

// A field may occur in hundreds of places of a document.
const maxLocations = 10;

function toGraphqlError(
  { nodes = [], path }: PresentableError,
  message: string,
  extensions: Record<string, unknown>,
): GraphQLError {
  const shown = new GraphQLError(shortenMessage(message), { path: path?.length ? path : null, extensions });
  // Not passed as nodes, since graphql-js would search the text of the document for each error.
  const locations = nodes.slice(0, maxLocations).flatMap(({ loc }) => {
    const { line = 0, column = 0 } = loc?.startToken ?? {};
    return line > 0 ? [{ line, column }] : [];
  });
  if (locations.length > 0) Object.assign(shown, { locations });
  return shown;
}
