import { GraphQLError } from 'graphql';
import { type ErrorCode, ExpectedError } from '../errors.ts';
import { cutText } from '../runtime/text.ts';

/** A request that is not executed at all. */
export interface Rejection {
  /** HTTP status. */
  readonly status: number;
  readonly errors: readonly GraphQLError[];
  /** When the same request may be sent again, if known. */
  readonly retryAfterSeconds?: number;
  /** The scopes that the request requires, if the token lacks one of them. */
  readonly scopes?: readonly string[] | undefined;
}

const httpStatuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  OVERLOADED: 503,
};

/** Thrown to reject a request, with all its errors. */
export class RejectionError extends ExpectedError {
  override readonly name = 'RejectionError';
  readonly code: ErrorCode;
  /** HTTP status. */
  readonly status: number;
  /** Errors of graphql-js have locations in the document. */
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

/** What is wrong with a document that was rejected, in one line. */
export const explainRejection = (error: unknown): string =>
  error instanceof RejectionError
    ? error.errors.map((one) => (typeof one === 'string' ? one : one.message)).join(' ')
    : (error as Error).message;
