import { GraphQLError } from 'graphql';
import type { ErrorCode } from '../errors.ts';

/** Why a request is not carried out, nothing of it. */
export interface Refusal {
  /** The status over HTTP. */
  readonly status: number;
  readonly errors: readonly GraphQLError[];
  /** When the same may be sent again, where that is known. */
  readonly retryAfterSeconds?: number;
}

const statuses: Partial<Record<ErrorCode, number>> = {
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  OVERLOADED: 503,
};

/** Thrown to refuse a request, with all that is found wrong with it. */
export class Refused extends Error {
  override readonly name = 'Refused';
  readonly code: ErrorCode;
  /** The status over HTTP. */
  readonly status: number;
  /** What graphql-js found knows its place in the document. */
  readonly faults: readonly (GraphQLError | string)[];

  constructor(code: ErrorCode, ...faults: readonly (GraphQLError | string)[]) {
    super(code);
    this.code = code;
    this.status = statuses[code] ?? 400;
    this.faults = faults;
  }
}

export function refusalOf({ code, status, faults }: Refused, requestId: string): Refusal {
  const errors = faults.map((fault) => {
    const extensions = { code, requestId };
    if (typeof fault === 'string') return new GraphQLError(presentable(fault), { extensions });
    const { message, nodes = null, source = null, positions = null } = fault;
    return new GraphQLError(presentable(message), { nodes, source, positions, extensions });
  });
  return { status, errors };
}

const maxMessage = 500;

/**
 * A message as callers may have it. Names that they did not write are none of their business: graphql-js says which
 * ones they might have meant. And it repeats what they wrote, however long.
 */
export function presentable(message: string): string {
  const said = message.replace(/ Did you mean .*$/s, '');
  return said.length > maxMessage ? `${said.slice(0, maxMessage)}…` : said;
}
