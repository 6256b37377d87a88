import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  TokenKind,
  type ValidationRule,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { createComparisons } from './comparisons.ts';
import { createCost } from './cost.ts';
import { type DocumentLimits, excessOf } from './document-limits.ts';
import { Refused } from './refusal.ts';
import { createTurns } from './turns.ts';

export interface DocumentOptions extends DocumentLimits {
  readonly schema: GraphQLSchema;
  readonly maxTokens: number;
  /** Whether documents may ask for the schema. */
  readonly introspection: boolean;
}

/** An operation that may be carried out, as far as its document goes. */
export interface Operation {
  /** What no other one of this process is called. */
  readonly id: number;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** How many upstream rows it asks for at most, by its variables. */
  cost(variables: Readonly<Record<string, unknown>>): number;
  /** How many comparisons and order terms its filters and orders have. */
  comparisons(variables: Readonly<Record<string, unknown>>): number;
}

export interface Documents {
  /** The operation a document and a name stand for, where it was asked for before and is kept. */
  known(text: string, name: string | null): Operation | undefined;
  /** The operation a document and a name stand for. Throws `Refused`. Known ones never wait for others to be proven. */
  operation(text: string, name: string | null): Promise<Operation>;
  /** A document that was proven before, by the SHA-256 of its text; undefined where it is not kept any more. */
  byHash(sha256: string): DocumentNode | undefined;
}

interface Known {
  readonly document: DocumentNode;
  readonly sha256: string;
  /** By their names in the requests. */
  readonly operations: Map<string | null, Operation>;
}

// With the tree above it and what is made of it.
const bytesOfToken = 400;
const maxKeptBytes = 6_000_000;
const maxKept = 1_000;
const charactersOfToken = 32;
const maxKeptOperations = 10;
const maxWaiting = 500;
const maxErrors = 5;

/** Parses documents and proves them, each text once while it is in use: most requests send the same few. */
export function createDocuments(options: DocumentOptions): Documents {
  const { schema, maxTokens, introspection } = options;
  const rules = introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule, noServiceRule];
  const hashed = new Map<string, DocumentNode>();
  const kept = new LRUCache<string, Known>({
    max: maxKept,
    maxSize: maxKeptBytes,
    sizeCalculation: ({ document }, text) =>
      bytesOfToken * (document.tokenCount ?? maxTokens) + 2 * text.length,
    dispose: ({ sha256 }) => hashed.delete(sha256),
  });

  const prove = (text: string): Known => {
    if (text.length > maxTokens * charactersOfToken)
      throw new Refused(
        'QUERY_TOO_COMPLEX',
        `The document has ${text.length} characters; ${maxTokens * charactersOfToken} are taken at most.`,
      );
    const document = parsed(text, maxTokens);
    const excess = excessOf(document, options);
    if (excess !== null) throw new Refused('QUERY_TOO_COMPLEX', excess);
    const faults = validate(schema, document, rules, { maxErrors, hideSuggestions: true });
    if (faults.length > 0) throw new Refused('GRAPHQL_VALIDATION_FAILED', ...faults.slice(0, maxErrors));
    const sha256 = createHash('sha256').update(text).digest('hex');
    const known = { document, sha256, operations: new Map() };
    kept.set(text, known);
    // What is too long is not kept.
    if (kept.has(text)) hashed.set(sha256, document);
    return known;
  };

  let lastId = 0;
  const inTurn = createTurns();
  const waiting = new Map<string, Promise<Known>>();
  const proven = (text: string): Promise<Known> => {
    const before = waiting.get(text);
    if (before) return before;
    if (waiting.size >= maxWaiting)
      throw new Refused('OVERLOADED', 'Too many new documents wait. Try again later.');
    const proof = inTurn(() => prove(text)).finally(() => waiting.delete(text));
    waiting.set(text, proof);
    return proof;
  };

  return {
    byHash: (sha256) => hashed.get(sha256),

    known: (text, name) => kept.get(text)?.operations.get(name),

    async operation(text, name) {
      const { document, operations } = kept.get(text) ?? (await proven(text));
      const before = operations.get(name);
      if (before) return before;
      const operation = getOperationAST(document, name);
      if (!operation) throw new Refused('BAD_USER_INPUT', unnamed);
      lastId += 1;
      const made = {
        id: lastId,
        document,
        operation,
        cost: createCost(schema, document, operation),
        comparisons: createComparisons(document, operation),
      };
      if (operations.size === maxKeptOperations) operations.clear();
      operations.set(name, made);
      return made;
    },
  };
}

const tooDeep = 'The document is nested too deeply.';
const unnamed = 'Name one operation of the document in `operationName`.';

function parsed(text: string, maxTokens: number): DocumentNode {
  try {
    return withoutComments(parse(text, { maxTokens }));
  } catch (error) {
    // What is no syntax error is the stack's end.
    throw new Refused('GRAPHQL_PARSE_FAILED', error instanceof GraphQLError ? error : tooDeep);
  }
}

/** The tokens of a document hang together, and its nodes by them. Comments are not counted, but take as much as others. */
function withoutComments(document: DocumentNode): DocumentNode {
  type Link = { kind: TokenKind; prev: Link | null; next: Link | null };
  for (let token: Link | null | undefined = document.loc?.startToken; token; token = token.next) {
    if (token.kind !== TokenKind.COMMENT) continue;
    if (token.prev) token.prev.next = token.next;
    if (token.next) token.next.prev = token.prev;
  }
  return document;
}

// It answers with the whole schema, as introspection does.
const noServiceRule: ValidationRule = (context) => ({
  Field(node) {
    if (context.getParentType()?.name === 'Query' && node.name.value === '_service')
      context.reportError(
        new GraphQLError('The schema is not given out here: `_service` is off.', { nodes: node }),
      );
  },
});
