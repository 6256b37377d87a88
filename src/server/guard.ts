import { type ErrorCode, InputError } from '../errors.ts';
import { areasOf } from './areas.ts';
import { type AuthorizationOptions, authorize } from './authorization.ts';
import type { Caller } from './caller.ts';
import { maxComparisons } from './comparisons.ts';
import type { Documents } from './documents.ts';
import type { Request } from './executor.ts';
import { type Refusal, Refused, refusalOf } from './refusal.ts';
import { overloaded } from './shedding.ts';
import type { DocumentReference, TrustedDocuments } from './trusted-documents.ts';
import type { VerifiedCaller, Verifier } from './verification.ts';

/** A request as a client sends it, whatever the transport; none of it is known to be what it should be. */
export interface Payload extends DocumentReference {
  readonly operationName?: unknown;
  readonly variables?: unknown;
}

/** Every request of every transport goes through it, so that none accepts what another refuses. */
export interface Guard {
  /** The caller, with what its token proves. */
  identify(caller: Caller): Caller | Promise<Caller | Refusal>;
  /**
   * A request ready to run, or why it is not one. A caller who is not identified yet is; one who has a place gets it
   * weighed. `carries` says what the transport is there for.
   */
  prepare(payload: Payload, caller: Caller, carries: 'queries' | 'subscriptions'): Promise<Request | Refusal>;
}

export interface GuardOptions extends AuthorizationOptions {
  readonly documents: Documents;
  readonly trustedDocuments: TrustedDocuments;
  /** Null where callers are not verified. */
  readonly verifier: Verifier | null;
  /** How many upstream rows one operation may ask for. */
  readonly maxCost: number;
  /** Told of every refusal. */
  readonly onRefused?: ((code: ErrorCode, requestId: string) => void) | undefined;
}

/** What is cheap to see is looked at first. */
export function createGuard(options: GuardOptions): Guard {
  const { documents, trustedDocuments, verifier, maxCost, onRefused } = options;

  const knownOf = (caller: Caller): Caller | null => {
    if (verifier === null) return caller;
    const verified = caller.tokens.business === null ? null : verifier.known(caller.tokens.business);
    return verified && { ...caller, verified };
  };
  const proven = async (caller: Caller): Promise<Caller> =>
    verifier === null ? caller : { ...caller, verified: await identityOf(verifier, caller) };

  const refuse = (error: unknown, { requestId }: Caller): Refusal => {
    const refused = refusedFor(error);
    onRefused?.(refused.code, requestId);
    return refusalOf(refused, requestId);
  };

  return {
    identify: (caller) => knownOf(caller) ?? proven(caller).catch((error) => refuse(error, caller)),
    async prepare(payload, unknown, carries) {
      try {
        const caller = verifier === null || unknown.verified ? unknown : await proven(unknown);
        recordOf('extensions', payload.extensions);
        const text = trustedDocuments(payload, caller.requestId);
        const variables = variablesOf(payload.variables);
        const name = nameOf(payload.operationName);
        const { id, document, operation, cost, comparisons } =
          documents.known(text, name) ?? (await documents.operation(text, name));
        if ((operation.operation === 'subscription') !== (carries === 'subscriptions'))
          throw new Refused('BAD_USER_INPUT', carries === 'queries' ? noSubscriptions : onlySubscriptions);
        authorize(options, document, operation, caller.verified);
        if (comparisons(variables) > maxComparisons)
          throw new Refused('QUERY_TOO_COMPLEX', tooManyComparisons);
        const rows = cost(variables);
        if (rows > maxCost) throw new Refused('QUERY_TOO_COMPLEX', tooManyRows(rows, maxCost));
        // A subscription has its place only until it begins, and counts for an area once it calls one.
        const areas = carries === 'queries' ? areasOf(document, operation) : 0;
        const excess = caller.place?.weigh(rows, areas);
        if (excess) throw new Refused('OVERLOADED', overloaded[excess]);
        return { operationId: id, text, document, operation, variables, rows, caller };
      } catch (error) {
        return refuse(error, unknown);
      }
    },
  };
}

const onlySubscriptions =
  'Only subscriptions are served here. Send queries and mutations by POST to /graphql.';
const tooManyRows = (rows: number, most: number) =>
  `The operation asks for up to ${rows} upstream rows; ${most} are read at most. Ask for shorter pages.`;
const tooManyComparisons = `The filters and orders of the operation have more than ${maxComparisons} comparisons. Name fewer values in them.`;
const noSubscriptions =
  'Subscribe over WebSocket at this address, or over server-sent events at /graphql/stream.';

async function identityOf(verifier: Verifier, { tokens, requestId }: Caller): Promise<VerifiedCaller> {
  if (tokens.business !== null) return verifier.verify(tokens.business, requestId);
  throw new Refused(
    'UNAUTHENTICATED',
    'Send the header `Authorization: Bearer <token>` (over WebSocket: `authorization` in connection_init).',
  );
}

function refusedFor(error: unknown): Refused {
  if (error instanceof Refused) return error;
  // The stack's end: fragments that spread one another without end, where so many tokens are allowed.
  if (error instanceof RangeError)
    return new Refused('QUERY_TOO_COMPLEX', 'The document is nested too deeply.');
  if (error instanceof InputError) return new Refused(error.code, error.message);
  throw error;
}

function nameOf(value: unknown): string | null {
  if (value === undefined || value === null || typeof value === 'string') return value || null;
  throw new Refused('BAD_USER_INPUT', '`operationName` must be a text.');
}

// Deeper values than any input has would exhaust the stack of what reads them.
const maxNesting = 64;

// Inherited by variables, which may have the name of what every object has. With none to inherit from they were slow.
const nothing = Object.create(null);

function variablesOf(value: unknown): Readonly<Record<string, unknown>> {
  const given = recordOf('variables', value);
  if (isNestedDeeper(given, maxNesting))
    throw new Refused('BAD_USER_INPUT', `\`variables\` may be nested ${maxNesting} deep at most.`);
  return { __proto__: nothing, ...given };
}

function recordOf(name: string, value: unknown): object {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw new Refused('BAD_USER_INPUT', `\`${name}\` must be an object.`);
}

function isNestedDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Object.values(value).some(
    (inner) => typeof inner === 'object' && inner !== null && isNestedDeeper(inner, levels - 1),
  );
}
