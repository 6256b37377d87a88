import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { type ErrorCode, ExpectedError } from '../errors.ts';
import { cutText } from '../runtime/text.ts';

/** The response to a request that is not executed. */
export interface Rejection {
  readonly status: number;
  readonly errors: readonly GraphQLError[];
  /** The time until the request may be sent again, if known. */
  readonly retryAfterSeconds?: number;
  /** The scopes that the request requires, if the token lacks one of them. */
  readonly scopes?: readonly string[] | undefined;
}

/** Called for a request that is not executed, or whose response is not sent. `reason` is the message for the caller. */
export type OnRejected = (code: ErrorCode, requestId: string, reason: string | undefined) => void;

const httpStatuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  OVERLOADED: 503,
};

/** Rejects a request, with one or more errors. */
export class RejectionError extends ExpectedError {
  override readonly name = 'RejectionError';
  readonly code: ErrorCode;
  readonly status: number;
  /** Messages, or errors of graphql-js with their locations in the document. */
  readonly errors: readonly (GraphQLError | string)[];
  /** The scopes that the request requires, if the token lacks one of them. */
  scopes?: readonly string[];

  constructor(code: ErrorCode, ...errors: readonly (GraphQLError | string)[]) {
    super(code);
    this.code = code;
    this.status = httpStatuses[code] ?? 400;
    this.errors = errors;
  }
}

/** Converts the error to GraphQL errors with the request id. */
export function toRejection(error: RejectionError, requestId: string): Rejection {
  const { code, status, scopes, errors: causes } = error;
  const errors = causes.map((cause) => {
    const extensions = { code, requestId };
    if (typeof cause === 'string') return new GraphQLError(shortenMessage(cause), { extensions });
    const { message, nodes = null, source = null, positions = null } = cause;
    return new GraphQLError(shortenMessage(message), { nodes, source, positions, extensions });
  });
  return { status, errors, ...(scopes && { scopes }) };
}

const maxMessageLength = 500;

/** Shortens a message of graphql-js, which may quote a long input of the caller, and makes it well-formed Unicode. */
export const shortenMessage = (message: string): string =>
  (message.length > maxMessageLength ? `${cutText(message, maxMessageLength)}…` : message).toWellFormed();

/** Formats a transport error as a GraphQL response body. */
export function transportError(
  message: string,
  code: string,
  requestId: string,
): { errors: GraphQLFormattedError[] } {
  return { errors: [{ message, extensions: { code, requestId } }] };
}

/**
 * Sends an HTTP response on a connection for which Node.js has no response object, and closes it. `status` includes the
 * reason phrase.
 */
export function endWithRejection(socket: Duplex, status: string, message: string, code: string): void {
  const requestId = randomUUID();
  const body = JSON.stringify(transportError(message, code, requestId));
  const fields = {
    ...commonHeaders(requestId),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    ...(code === 'OVERLOADED' && { 'retry-after': '1' }),
    connection: 'close',
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  // Otherwise a client that keeps its side open would keep the connection, and its data would still be read.
  socket.once('finish', () => socket.destroy());
  socket.end(`${[`HTTP/1.1 ${status}`, ...lines].join('\r\n')}\r\n\r\n${body}`);
}

/** Returns the headers of every response. Responses must not be cached; files of pages override that. */
export const commonHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
});
