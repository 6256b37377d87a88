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
  type ValidationRule,
  validate,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { createCost } from './cost.ts';
import { type DocumentLimits, excessOf } from './document-limits.ts';
import { Refused } from './refusal.ts';

export interface DocumentOptions extends DocumentLimits {
  readonly schema: GraphQLSchema;
  readonly maxTokens: number;
  /** Whether documents may ask for the schema. */
  readonly introspection: boolean;
}

/** An operation that may be carried out, as far as its document goes. */
export interface Operation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** How many upstream rows it asks for at most, by its variables. */
  cost(variables: Readonly<Record<string, unknown>>): number;
}

export interface Documents {
  /** The operation a document and a name stand for. Throws `Refused`. */
  operation(text: string, name: string | null): Operation;
  /** A document that was proven before, by the SHA-256 of its text; undefined where it is not kept any more. */
  byHash(sha256: string): DocumentNode | undefined;
}

interface Known {
  readonly document: DocumentNode;
  readonly sha256: string;
  readonly operations: Map<OperationDefinitionNode, Operation>;
}

// A token takes about 300 bytes, with the tree above it and what is made of it: these many take 30 MB.
const maxKeptTokens = 100_000;
const maxKept = 1_000;
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
    maxSize: maxKeptTokens,
    sizeCalculation: ({ document }) => document.tokenCount ?? maxTokens,
    dispose: ({ sha256 }) => hashed.delete(sha256),
  });

  const prove = (text: string): Known => {
    const document = parsed(text, maxTokens);
    const excess = excessOf(document, options);
    if (excess !== null) throw new Refused('QUERY_TOO_COMPLEX', excess);
    const faults = validate(schema, document, rules, { maxErrors });
    if (faults.length > 0) throw new Refused('GRAPHQL_VALIDATION_FAILED', ...faults.slice(0, maxErrors));
    const sha256 = createHash('sha256').update(text).digest('hex');
    const known = { document, sha256, operations: new Map() };
    kept.set(text, known);
    hashed.set(sha256, document);
    return known;
  };

  return {
    byHash: (sha256) => hashed.get(sha256),

    operation(text, name) {
      const { document, operations } = kept.get(text) ?? prove(text);
      const operation = getOperationAST(document, name);
      if (!operation) throw new Refused('BAD_USER_INPUT', unnamed);
      const before = operations.get(operation);
      if (before) return before;
      const made = { document, operation, cost: createCost(schema, document, operation) };
      operations.set(operation, made);
      return made;
    },
  };
}

const unnamed = 'Name one operation of the document in `operationName`.';

function parsed(text: string, maxTokens: number): DocumentNode {
  try {
    return parse(text, { maxTokens });
  } catch (error) {
    throw new Refused('GRAPHQL_PARSE_FAILED', error as GraphQLError);
  }
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
