import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  print,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { isCompilable } from './compilable.ts';
import { errorLocations, numberNodes } from './error-locations.ts';
import { fieldsOf } from './fields-of.ts';
import { type ParameterizedOperation, parameterize, separate, type Values } from './parameterize.ts';
import { createTurns } from './turns.ts';

/** A compiled operation with the literals of one document. */
export interface CompiledOperation {
  /** Resolves with null where the interpreter has to run it: an argument cannot be coerced. */
  execute(rootValue: unknown, context: unknown, variables: Values): Promise<ExecutionResult | null>;
}

export interface Compiler {
  /** The compiled operation, where it is kept. */
  known(operation: OperationDefinitionNode): CompiledOperation | undefined;
  /** Counts a use of an operation that is not known, and compiles it when it is due; null where it is interpreted. */
  next(document: DocumentNode, operation: OperationDefinitionNode): Promise<CompiledOperation | null>;
}

export interface CompilerOptions {
  readonly schema: GraphQLSchema;
  /** Uses before an operation is compiled. */
  readonly compileAfter: number | 'never';
  /** Called after code was generated for an operation. */
  readonly onCompiled?: (() => void) | undefined;
}

// Limits of what is compiled and kept, in fields with every fragment expanded: a short document can stand for a long one.
const maxFields = 500;
const maxKept = 500;
const maxKeptFields = 10_000;
// Operations whose uses are counted.
const maxCounted = 5_000;

interface Code {
  readonly query: CompiledQuery['query'];
  /** What it takes to keep it, in fields. */
  readonly size: number;
}

/** An operation of one document: which code runs it, and the literals it is run with. */
interface Statement {
  /** SHA-256 of the text of the parameterized operation. */
  readonly key: string;
  readonly bind: ParameterizedOperation['bind'];
  readonly locate: ReturnType<typeof errorLocations>;
}

/**
 * Compiles operations to JavaScript with graphql-jit, which writes values of a document into the source it generates. So
 * it is given a parameterized operation: of what a caller wrote, only aliases, names of fragments and names that the
 * schema has are left. Documents that differ in nothing but values, names of variables, the name of the operation or
 * formatting share one compiled operation.
 */
export function createCompiler({ schema, compileAfter, onCompiled }: CompilerOptions): Compiler {
  const uses = new LRUCache<string, number>({ max: maxCounted });
  const kept = new LRUCache<string, Code>({
    max: maxKept,
    maxSize: maxKeptFields,
    sizeCalculation: ({ size }) => size,
    dispose: (_code, key) => uses.delete(key),
  });
  // Weak, as an operation holds its whole document. Null where the operation is never compiled.
  const statements = new WeakMap<OperationDefinitionNode, Statement | null>();
  const inTurn = createTurns();

  const prepare = (document: DocumentNode, operation: OperationDefinitionNode): Statement | null => {
    if (fieldsOf(document, operation) > maxFields) return null;
    const parameterized = parameterize(schema, document, operation);
    if (!parameterized || !isCompilable(parameterized.document)) return null;
    const key = createHash('sha256').update(print(parameterized.document)).digest('base64');
    return { key, bind: parameterized.bind, locate: errorLocations(() => separate(document, operation)) };
  };

  const compile = (document: DocumentNode, operation: OperationDefinitionNode, key: string): void => {
    const parameterized = parameterize(schema, document, operation);
    if (!parameterized) return;
    // Parsed again, so that the code depends on the text alone: other documents share it.
    const own = numberNodes(parse(print(parameterized.document), { noLocation: true }));
    if (!isCompilable(own)) return;
    const result = compileQuery(schema, own);
    if (!isCompiledQuery(result)) return;
    kept.set(key, { query: result.query as Code['query'], size: fieldsOf(own, operationOf(own)) });
    onCompiled?.();
  };

  const compiledOf = ({ key, bind, locate }: Statement): CompiledOperation | undefined => {
    const code = kept.get(key);
    if (!code) return undefined;
    return {
      async execute(rootValue, context, variables) {
        const values = bind(variables);
        if (values === null) return null;
        const result = await code.query(rootValue, context, values as Record<string, unknown>);
        result.errors?.forEach(locate);
        return result;
      },
    };
  };

  return {
    known(operation) {
      const statement = statements.get(operation);
      return statement ? compiledOf(statement) : undefined;
    },

    async next(document, operation) {
      if (compileAfter === 'never') return null;
      let statement = statements.get(operation);
      if (statement === undefined) {
        statement = await inTurn(() => prepare(document, operation));
        statements.set(operation, statement);
      }
      if (statement === null) return null;
      const { key } = statement;
      const count = uses.get(key) ?? 0;
      uses.set(key, count + 1);
      if (count === compileAfter) await inTurn(() => compile(document, operation, key));
      return compiledOf(statement) ?? null;
    },
  };
}

const operationOf = ({ definitions }: DocumentNode) => definitions[0] as OperationDefinitionNode;
