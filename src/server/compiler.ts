import { createHash } from 'node:crypto';
import {
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  type OperationDefinitionNode,
  parse,
  print,
  separateOperations,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { isCompilable } from './compilable.ts';
import { conditionVariables, resolveConditions } from './conditions.ts';
import { errorLocations, numberNodes } from './error-locations.ts';
import { fieldsOf } from './fields-of.ts';
import type { Values } from './literals.ts';
import { type ParameterizedOperation, parameterize } from './parameterize.ts';
import { createTurns } from './turns.ts';

/** A compiled operation with the literals of one document. */
export interface CompiledOperation {
  /** Null where the interpreter has to run it: an argument cannot be coerced. */
  execute(
    rootValue: unknown,
    context: unknown,
    variables: Values,
  ): ExecutionResult | Promise<ExecutionResult> | null;
  /** Names the nodes of the document in an error of the result. Errors of the interpreter have them. */
  locate(error: GraphQLError): void;
}

export interface Compiler {
  /** The compiled operation for these coerced variables, where it is kept. */
  known(operation: OperationDefinitionNode, variables: Values): CompiledOperation | undefined;
  /** Counts a use of an operation that is not known, and compiles it when it is due; null where it is interpreted. */
  next(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Values,
  ): Promise<CompiledOperation | null>;
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
// Of one operation with conditions: three of them have eight combinations.
const maxVariants = 16;

interface Code {
  readonly query: CompiledQuery['query'];
  /** What it takes to keep it, in fields. */
  readonly size: number;
}

/** An operation of one document, with its conditions resolved: which code runs it, and the literals it is run with. */
interface Statement {
  /** SHA-256 of the text of the parameterized operation. */
  readonly key: string;
  readonly bind: ParameterizedOperation['bind'];
  readonly locate: ReturnType<typeof errorLocations>;
  /** What it was run by last. */
  last?: { readonly code: Code; readonly compiled: CompiledOperation };
}

/** The statements of an operation by the values of the variables that its conditions depend on. */
interface Statements {
  readonly conditions: readonly string[];
  /** Null where the interpreter runs it. */
  readonly byValues: Map<string, Statement | null>;
}

/**
 * Compiles operations to JavaScript with graphql-jit, which writes values of a document into the source it generates. So
 * it is given a parameterized operation without conditions (`@skip`, `@include`), which it compiles wrongly where fields
 * merge: of what a caller wrote, only aliases, names of fragments and names that the schema has are left. Documents that differ in nothing but values, names of variables, the name of the operation or
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
  // Weak, as an operation holds its whole document.
  const prepared = new WeakMap<OperationDefinitionNode, Statements>();
  const inTurn = createTurns();

  const parameterized = (document: DocumentNode, operation: OperationDefinitionNode, variables: Values) => {
    const resolved = resolveConditions(separate(document, operation), variables);
    return resolved && parameterize(schema, separate(resolved, operation));
  };

  const prepare = (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Values,
  ): Statement | null => {
    if (fieldsOf(document, operation) > maxFields) return null;
    const made = parameterized(document, operation, variables);
    if (!made || !isCompilable(made.document)) return null;
    const key = createHash('sha256').update(print(made.document)).digest('base64');
    const original = () => resolveConditions(separate(document, operation), variables);
    return {
      key,
      bind: made.bind,
      locate: errorLocations(() => separate(original() ?? document, operation)),
    };
  };

  const statementsOf = (document: DocumentNode, operation: OperationDefinitionNode): Statements => {
    const conditions = conditionVariables(separate(document, operation));
    const made = { conditions, byValues: new Map<string, Statement | null>() };
    prepared.set(operation, made);
    return made;
  };

  const compile = (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: Values,
    key: string,
  ): void => {
    const made = parameterized(document, operation, variables);
    if (!made) return;
    // Parsed again, so that the code depends on the text alone: other documents share it.
    const own = numberNodes(parse(print(made.document), { noLocation: true }));
    if (!isCompilable(own)) return;
    const result = compileQuery(schema, own);
    if (!isCompiledQuery(result)) return;
    kept.set(key, { query: result.query as Code['query'], size: fieldsOf(own, operationOf(own)) });
    onCompiled?.();
  };

  const compiledOf = (statement: Statement): CompiledOperation | undefined => {
    const code = kept.get(statement.key);
    if (!code) return undefined;
    if (statement.last?.code !== code) statement.last = { code, compiled: createCompiled(code, statement) };
    return statement.last.compiled;
  };

  return {
    known(operation, variables) {
      const statements = prepared.get(operation);
      const statement = statements?.byValues.get(valuesKey(statements, variables));
      return statement ? compiledOf(statement) : undefined;
    },

    async next(document, operation, variables) {
      if (compileAfter === 'never') return null;
      const statements = prepared.get(operation) ?? statementsOf(document, operation);
      const values = valuesKey(statements, variables);
      const { byValues } = statements;
      let statement = byValues.get(values);
      if (statement === undefined) {
        if (byValues.size >= maxVariants) return null;
        statement = await inTurn(() => prepare(document, operation, variables));
        byValues.set(values, statement);
      }
      if (statement === null) return null;
      const { key } = statement;
      const count = uses.get(key) ?? 0;
      uses.set(key, count + 1);
      if (count === compileAfter) await inTurn(() => compile(document, operation, variables, key));
      return compiledOf(statement) ?? null;
    },
  };
}

const createCompiled = ({ query }: Code, { bind, locate }: Statement): CompiledOperation => ({
  execute(rootValue, context, variables) {
    const values = bind(variables);
    return values && query(rootValue, context, values as Record<string, unknown>);
  },
  locate,
});

/** The values of the conditions of a request, as a text. */
function valuesKey({ conditions }: Statements, variables: Values): string {
  return conditions.length === 0 ? '' : JSON.stringify(conditions.map((name) => variables[name] ?? null));
}

/** An operation and the fragments it spreads. */
function separate(document: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  return separateOperations(document)[operation.name?.value ?? ''] as DocumentNode;
}

const operationOf = ({ definitions }: DocumentNode) => definitions[0] as OperationDefinitionNode;
