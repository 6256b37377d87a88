import { InputError } from '../../errors.ts';
import type { ResponseLimits } from '../../graph/response-meter.ts';
import type { Caller } from '../caller.ts';
import { overloadMessages } from '../load/shedding.ts';
import { type OnRejected, type Rejection, RejectionError, toRejection } from '../rejection.ts';
import { type AuthorizationOptions, authorize, MissingScopesError } from './authorization.ts';
import type { Documents, ValidatedOperation } from './documents.ts';
import type { TokenVerifier, VerifiedCaller } from './token-verification.ts';
import type { DocumentReference, TrustedDocuments } from './trusted-documents.ts';

/** A GraphQL request as a client sends it. Not validated. */
export interface GraphqlPayload extends DocumentReference {
  readonly operationName?: unknown;
  readonly variables?: unknown;
}

export interface GraphqlRequest extends Omit<ValidatedOperation, 'cost' | 'areas'> {
  readonly text: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The cost of the operation: an upper bound of the upstream rows it reads. */
  readonly maxRows: number;
  /** The limits when the guard accepted the request. */
  readonly responseLimits: ResponseLimits;
  readonly caller: Caller;
}

/** The operations that a transport accepts. `queries` includes mutations. */
export type CarriedOperations = 'queries' | 'subscriptions' | 'all';

export interface Guard {
  identify(caller: Caller): Caller | Promise<Caller | Rejection>;
  /**
   * Returns a request that is ready to execute, or a rejection. Identifies the caller if necessary, and adds the
   * operation's cost to the caller's slot. `carries` are the operations that the client and transport support.
   */
  prepare(
    payload: GraphqlPayload,
    caller: Caller,
    carries: CarriedOperations,
  ): Promise<GraphqlRequest | Rejection>;
}

export interface GuardOptions extends AuthorizationOptions {
  readonly documents: Documents;
  readonly trustedDocuments: TrustedDocuments;
  /** Null if callers are not verified. */
  readonly verifier: TokenVerifier | null;
  /** `maxRows` also limits the upstream rows that an operation may request. */
  readonly responseLimits: ResponseLimits;
  readonly onRejected?: OnRejected | undefined;
}

/** Creates a guard. It identifies the caller before it parses a document, and computes the cost last. */
export function createGuard(options: GuardOptions): Guard {
  const { documents, trustedDocuments, verifier, onRejected } = options;

  const identifyFromCache = (caller: Caller): Caller | null => {
    if (verifier === null) return caller;
    const verified = verifier.getCached(caller.tokens);
    return verified && withIdentity(caller, verified);
  };
  const identifyByToken = async (caller: Caller): Promise<Caller> =>
    verifier === null ? caller : withIdentity(caller, await verifier.verify(caller.tokens, caller.requestId));

  const reject = (error: unknown, { requestId }: Caller): Rejection => {
    const rejectionError = toRejectionError(error);
    const rejection = toRejection(rejectionError, requestId);
    onRejected?.(rejectionError.code, requestId, rejection.errors[0]?.message);
    return rejection;
  };

  return {
    identify: (caller) =>
      identifyFromCache(caller) ?? identifyByToken(caller).catch((error) => reject(error, caller)),
    async prepare(payload, sender, carries) {
      try {
        const caller = verifier === null || sender.verified ? sender : await identifyByToken(sender);
        // Throws if they are no object.
        readObject('extensions', payload.extensions);
        const text = trustedDocuments(payload);
        const variables = readVariables(payload.variables);
        const name = readOperationName(payload.operationName);
        const validated =
          documents.get(text, name) ?? (await documents.getOrValidate(text, name, caller.key));
        const { operation: kind } = validated.operation;
        const isSubscription = kind === 'subscription';
        if (carries === (isSubscription ? 'queries' : 'subscriptions'))
          throw new RejectionError(
            'BAD_USER_INPUT',
            isSubscription ? subscriptionsElsewhere : subscriptionsOnly,
          );
        if (kind === 'mutation') authorize(options, validated.rootFields, caller.verified);
        const { responseLimits } = options;
        const { maxRows } = responseLimits;
        const rows = validated.cost(variables, maxRows);
        // A subscription holds its slot only until it starts, so it counts for no area.
        const areas = isSubscription ? 0 : validated.areas;
        // An operation that calls no upstream adds no weight to its slot. Introspections run one after another.
        const isLocal = !isSubscription && areas === 0;
        const formatExcess = isLocal ? introspectsTooMuch : costTooHigh;
        if (rows > maxRows) throw new RejectionError('QUERY_TOO_COMPLEX', formatExcess(rows, maxRows));
        const excess = caller.slot?.setCost(isLocal ? 0 : rows, areas);
        if (excess) throw new RejectionError('OVERLOADED', overloadMessages[excess]);
        // With the spread first, V8 would give each request a hidden class of its own, which slows all code that reads it.
        return { text, variables, maxRows: rows, responseLimits, caller, ...validated };
      } catch (error) {
        return reject(error, sender);
      }
    },
  };
}

const withIdentity = (caller: Caller, verified: VerifiedCaller): Caller => ({
  ...caller,
  verified,
  key: verified.key,
});

const subscriptionsOnly =
  'This transport serves only subscriptions. Send queries and mutations by POST to /graphql.';
const costTooHigh = (rows: number, most: number) =>
  `The operation may read ${rows} upstream rows; the limit is ${most} (MAX_COST). Request shorter pages.`;
const introspectsTooMuch = (rows: number, most: number) =>
  `The introspection costs as much as ${rows} upstream rows; the limit is ${most} (MAX_COST). Introspect the schema once for each operation.`;
const subscriptionsElsewhere =
  'A subscription cannot be answered with JSON. Send it with `Accept: text/event-stream`, or over WebSocket at this URL.';

function toRejectionError(error: unknown): RejectionError {
  if (error instanceof RejectionError) return error;
  // A stack overflow, which the limits of documents should prevent.
  if (error instanceof RangeError)
    return new RejectionError('QUERY_TOO_COMPLEX', 'The document is nested too deeply.');
  if (error instanceof InputError) {
    const rejection = new RejectionError(error.code, error.message);
    if (error instanceof MissingScopesError) rejection.scopes = error.scopes;
    return rejection;
  }
  throw error;
}

function readOperationName(value: unknown): string | null {
  if (value === undefined || value === null || typeof value === 'string') return value || null;
  throw new RejectionError('BAD_USER_INPUT', '`operationName` must be a string.');
}

// Deeper values could overflow the stack of recursive readers.
const maxVariableNesting = 64;

// A prototype without members, since a variable may be called `constructor`. Objects without a prototype are slower.
const emptyPrototype = Object.create(null);

function readVariables(value: unknown): Readonly<Record<string, unknown>> {
  const variables = readObject('variables', value);
  if (isNestedDeeper(variables, maxVariableNesting))
    throw new RejectionError(
      'BAD_USER_INPUT',
      `\`variables\` is nested too deeply; the limit is ${maxVariableNesting} levels.`,
    );
  return { __proto__: emptyPrototype, ...variables };
}

function readObject(name: string, value: unknown): object {
  if (value === undefined || value === null) return {};
  if (typeof value === 'object' && !Array.isArray(value)) return value;
  throw new RejectionError('BAD_USER_INPUT', `\`${name}\` must be a JSON object.`);
}

function isNestedDeeper(value: object, levels: number): boolean {
  if (levels === 0) return true;
  return Object.values(value).some(
    (inner) => typeof inner === 'object' && inner !== null && isNestedDeeper(inner, levels - 1),
  );
}
