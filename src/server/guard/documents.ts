import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLNamedType,
  type GraphQLSchema,
  getDirectiveValues,
  getNamedType,
  getOperationAST,
  isCompositeType,
  isObjectType,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  TokenKind,
  TypeInfo,
  type ValidationRule,
  ValuesOfCorrectTypeRule,
  validate,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { RejectionError } from '../rejection.ts';
import { findAreas, listRootFields } from './authorization.ts';
import { createCostFunction } from './cost.ts';
import { type DocumentLimits, findExcess } from './document-limits.ts';

export interface DocumentOptions extends DocumentLimits {
  readonly schema: GraphQLSchema;
  /** Whether documents may query the schema, and error messages may suggest names from it. */
  readonly introspection: boolean;
}

export interface ValidatedOperation {
  /** Unique in this process: equal for requests with the same document and operation name. */
  readonly operationId: number;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The names of its root fields, ignoring `@skip` and `@include`. */
  readonly rootFields: ReadonlySet<string>;
  /** The areas that it may call, as bits. */
  readonly areas: number;
  /** Returns the cost in upstream rows (cost.ts). `limit` is the allowed cost. Throws `RejectionError` for too many comparisons. */
  cost(variables: Readonly<Record<string, unknown>>, limit: number): number;
  /** How many seconds the client may keep the response; 0 for not at all. */
  readonly maxAge: number;
}

export interface Documents {
  /** Returns the operation with this name, if it is cached. */
  get(text: string, name: string | null): ValidatedOperation | undefined;
  /**
   * Returns the operation with this name, and validates the document if it is not cached. New documents of a caller are
   * validated one after another; cached ones do not wait. Throws `RejectionError`.
   */
  getOrValidate(text: string, name: string | null, callerKey: string): Promise<ValidatedOperation>;
  /** Returns a validated document by the SHA-256 of its text, if it is still cached. */
  getByHash(sha256: string): DocumentNode | undefined;
}

interface ValidatedDocument {
  readonly document: DocumentNode;
  readonly sha256: string;
  /** By operation name, as requests give it. */
  readonly operations: Map<string | null, ValidatedOperation>;
}

// Estimated memory per token, including the syntax tree and everything derived from it.
const bytesPerToken = 400;
const maxDocumentBytes = 6_000_000;
const maxDocuments = 1_000;
const charactersPerToken = 32;
const maxOperationsPerDocument = 10;
const maxQueuedDocuments = 500;
const maxValidationErrors = 5;

// Shared by all instances in the process.
let lastId = 0;

/** Parses, validates and caches documents, since most requests send the same few. */
export function createDocuments(options: DocumentOptions): Documents {
  const { schema, maxTokens, introspection } = options;
  const rules = specifiedRules.map((rule) => (rule === ValuesOfCorrectTypeRule ? argumentValuesRule : rule));
  if (!introspection) rules.push(NoSchemaIntrospectionCustomRule, noServiceRule);
  const documentsByHash = new Map<string, DocumentNode>();
  const documentCache = new LRUCache<string, ValidatedDocument>({
    max: maxDocuments,
    maxSize: maxDocumentBytes,
    sizeCalculation: ({ document }, text) =>
      bytesPerToken * (document.tokenCount ?? maxTokens) + 2 * text.length,
    dispose: ({ sha256 }) => documentsByHash.delete(sha256),
  });

  const findProblems = (document: DocumentNode): readonly GraphQLError[] => {
    try {
      return validate(schema, document, rules, {
        maxErrors: maxValidationErrors,
        hideSuggestions: !introspection,
      });
    } catch (error) {
      // graphql-js throws this one for a variable in `@skip` or `@include` at the root of a subscription.
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
  };

  const validateDocument = (text: string): ValidatedDocument => {
    if (text.length > maxTokens * charactersPerToken)
      throw new RejectionError(
        'QUERY_TOO_COMPLEX',
        `The document has ${text.length} characters; the limit is ${maxTokens * charactersPerToken}.`,
      );
    const document = parseDocument(text, maxTokens);
    const excessMessage = findExcess(document, options);
    if (excessMessage !== null) throw new RejectionError('QUERY_TOO_COMPLEX', excessMessage);
    const problems = findProblems(document);
    if (problems.length > 0)
      // graphql-js adds one more error, which says that there are more.
      throw new RejectionError('GRAPHQL_VALIDATION_FAILED', ...problems.slice(0, maxValidationErrors));
    // graphql-js searches this text for line breaks to locate each error, which takes milliseconds if the text has
    // many. The nodes contain their locations, too.
    if (document.loc) document.loc.source.body = '';
    const sha256 = createHash('sha256').update(text).digest('hex');
    const known = { document, sha256, operations: new Map() };
    documentCache.set(text, known);
    // The cache rejects entries above its maximum size.
    if (documentCache.has(text)) documentsByHash.set(sha256, document);
    return known;
  };

  const queued = new Map<string, Promise<ValidatedDocument>>();
  const validateInTurn = (text: string, callerKey: string): Promise<ValidatedDocument> => {
    const existing = queued.get(text);
    if (existing) return existing;
    if (queued.size >= maxQueuedDocuments)
      throw new RejectionError(
        'OVERLOADED',
        'Too many new documents are waiting for validation. Try again later.',
      );
    const validation = waitForTurn(callerKey)
      .then(() => validateDocument(text))
      .finally(() => queued.delete(text));
    queued.set(text, validation);
    return validation;
  };

  return {
    getByHash: (sha256) => documentsByHash.get(sha256),

    get: (text, name) => documentCache.get(text)?.operations.get(name),

    async getOrValidate(text, name, callerKey) {
      const { document, operations } = documentCache.get(text) ?? (await validateInTurn(text, callerKey));
      const existing = operations.get(name);
      if (existing) return existing;
      const operation = getOperationAST(document, name);
      if (!operation) throw new RejectionError('BAD_USER_INPUT', operationNotNamed);
      lastId += 1;
      const rootFields = listRootFields(document, operation);
      const created = {
        operationId: lastId,
        document,
        operation,
        rootFields,
        areas: findAreas(document, rootFields),
        cost: createCostFunction(schema, document, operation),
        maxAge: operation.operation === 'query' ? getMaxAge(schema, document) : 0,
      };
      if (operations.size === maxOperationsPerDocument) operations.clear();
      operations.set(name, created);
      return created;
    },
  };
}

const nestedTooDeeply = 'The document is nested too deeply.';
const operationNotNamed =
  'The document has no such operation, or several. Name one of them in `operationName`.';

function parseDocument(text: string, maxTokens: number): DocumentNode {
  try {
    return withoutComments(parse(text, { maxTokens }));
  } catch (error) {
    // Any other error is a stack overflow.
    throw new RejectionError('GRAPHQL_PARSE_FAILED', error instanceof GraphQLError ? error : nestedTooDeeply);
  }
}

/** Removes comments from the token list of the syntax tree. They do not count as tokens, but take as much memory. */
function withoutComments(document: DocumentNode): DocumentNode {
  type Link = { kind: TokenKind; prev: Link | null; next: Link | null };
  for (let token: Link | null | undefined = document.loc?.startToken; token; token = token.next) {
    if (token.kind !== TokenKind.COMMENT) continue;
    if (token.prev) token.prev.next = token.next;
    if (token.next) token.next.prev = token.prev;
  }
  return document;
}

// `_service` returns the whole schema, like introspection.
const noServiceRule: ValidationRule = (context) => ({
  Field(node) {
    if (context.getParentType()?.name === 'Query' && node.name.value === '_service')
      context.reportError(
        new GraphQLError('`_service` is not available, because introspection is off (PAGES).', {
          nodes: node,
        }),
      );
  },
});

// Adds the name of the argument, which the messages of graphql-js lack.
const argumentValuesRule: ValidationRule = (context) => {
  const reportError = (error: GraphQLError) => {
    const argument = context.getArgument();
    const nodes = error.nodes ?? null;
    context.reportError(
      argument ? new GraphQLError(`Argument "${argument.name}": ${error.message}`, { nodes }) : error,
    );
  };
  return ValuesOfCorrectTypeRule(Object.create(context, { reportError: { value: reportError } }));
};

/**
 * Returns how many seconds a client may cache the response to a valid document: the lowest `@cacheControl(maxAge:)` of
 * its types, or 0 if a type has none. Skipped fields count, too, and so do all operations of the document.
 */
function getMaxAge(schema: GraphQLSchema, document: DocumentNode): number {
  let least = Number.POSITIVE_INFINITY;
  const types = new TypeInfo(schema);
  const readField = () => {
    const field = types.getFieldDef();
    const type = getNamedType(types.getType());
    const isOfRoot = types.getParentType() === schema.getQueryType();
    // A scalar has the age of its object; a scalar of the root type has none.
    const age = isCompositeType(type) ? readAgeHint(schema, type) : isOfRoot ? 0 : null;
    if (age !== null && field?.name !== '__typename') least = Math.min(least, age);
  };
  visit(document, visitWithTypeInfo(types, { Field: readField }));
  return Number.isFinite(least) ? least : 0;
}

/** Returns the maximum age of a type in seconds; null to inherit that of the parent. */
function readAgeHint(schema: GraphQLSchema, type: GraphQLNamedType): number | null {
  const definition = schema.getDirective('cacheControl');
  const hint = definition && isObjectType(type) && getDirectiveValues(definition, type.astNode ?? {});
  if (!hint) return 0;
  return hint.inheritMaxAge === true ? null : Number(hint.maxAge ?? 0);
}
