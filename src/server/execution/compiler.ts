import { createHash } from 'node:crypto';
import {
  type ASTNode,
  type DocumentNode,
  type ExecutionResult,
  type GraphQLError,
  type GraphQLSchema,
  Kind,
  type Location,
  type OperationDefinitionNode,
  parse,
  print,
  type SelectionSetNode,
  separateOperations,
  visit,
} from 'graphql';
import { type CompiledQuery, compileQuery, isCompiledQuery } from 'graphql-jit';
import { LRUCache } from 'lru-cache';
import { waitForTurn } from '../../runtime/cooperative-queue.ts';
import { memoizeByFragment } from '../guard/fragments.ts';
import type { CoercedValues } from './literals.ts';
import {
  findConditionVariables,
  type ParameterizedOperation,
  parameterize,
  resolveConditions,
} from './parameterize.ts';

/** A compiled operation bound to the literals of one document. */
export interface CompiledOperation {
  /** Returns null when an argument cannot be coerced: the interpreter must run the operation. */
  execute(
    rootValue: unknown,
    context: unknown,
    variables: CoercedValues,
  ): ExecutionResult | Promise<ExecutionResult> | null;
  /** Adds the document's nodes to an error of compiled code. Errors of the interpreter already have them. */
  addNodes(error: GraphQLError): void;
}

export interface Compiler {
  /** Returns the compiled operation for these coerced variables, if cached. */
  get(operation: OperationDefinitionNode, variables: CoercedValues): CompiledOperation | undefined;
  /**
   * Counts a use of an operation that is not cached, and compiles it when due. Resolves to null when the
   * interpreter should run it.
   */
  countUse(
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: CoercedValues,
    callerKey: string,
  ): Promise<CompiledOperation | null>;
}

export interface CompilerOptions {
  readonly schema: GraphQLSchema;
  /** Number of uses before an operation is compiled. */
  readonly compileAfter: number | 'never';
  /** Called after code was generated. */
  readonly onCompiled?: (() => void) | undefined;
}

// Limits are in fields after fragment expansion: a short document can expand to a long one.
const maxFields = 500;
const maxCompiled = 500;
const maxCompiledFields = 10_000;
// Number of operations whose uses are counted.
const maxUseCounters = 5_000;
// Variants of one operation, by the values of its conditions: three conditions give eight.
const maxVariants = 16;

interface GeneratedCode {
  readonly query: CompiledQuery['query'];
  /** Cache weight, in fields. */
  readonly size: number;
}

/**
 * An operation of one document with its conditions resolved: the key of its code and the literals to run it
 * with.
 */
interface PreparedOperation {
  /** SHA-256 of the text of the parameterized operation. */
  readonly key: string;
  readonly bind: ParameterizedOperation['bind'];
  readonly addNodes: ReturnType<typeof createNodeLookup>;
  /** The code that ran it last. */
  last?: { readonly code: GeneratedCode; readonly compiled: CompiledOperation };
}

/** Variants of an operation, by the values of the variables that its conditions depend on. */
interface PreparedVariants {
  readonly conditionVariables: readonly string[];
  /** Null: the interpreter runs this variant. */
  readonly byValues: Map<string, PreparedOperation | null>;
}

/**
 * Compiles operations to JavaScript with graphql-jit.
 *
 * graphql-jit writes values of the document into the generated source, and compiles `@skip` and `@include`
 * wrongly where fields merge. It is therefore given a parameterized operation without conditions: of the
 * caller's text only aliases, fragment names and names of the schema remain. Documents that differ only in
 * values, variable names, operation name or formatting share one compiled operation.
 */
export function createCompiler({ schema, compileAfter, onCompiled }: CompilerOptions): Compiler {
  const usesByKey = new LRUCache<string, number>({ max: maxUseCounters });
  const codeByKey = new LRUCache<string, GeneratedCode>({
    max: maxCompiled,
    maxSize: maxCompiledFields,
    sizeCalculation: ({ size }) => size,
    dispose: (_code, key) => usesByKey.delete(key),
  });
  // Weak: an operation references its whole document.
  const variantsByOperation = new WeakMap<OperationDefinitionNode, PreparedVariants>();

  const parameterizeOperation = (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: CoercedValues,
  ) => {
    const resolved = resolveConditions(separateOperation(document, operation), variables);
    return resolved && parameterize(schema, separateOperation(resolved, operation));
  };

  const prepare = (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: CoercedValues,
  ): PreparedOperation | null => {
    if (countFields(document, operation) > maxFields) return null;
    const parameterizedOperation = parameterizeOperation(document, operation, variables);
    if (!parameterizedOperation || !isCompilable(parameterizedOperation.document)) return null;
    const key = createHash('sha256').update(print(parameterizedOperation.document)).digest('base64');
    const resolveOriginal = () => resolveConditions(separateOperation(document, operation), variables);
    return {
      key,
      bind: parameterizedOperation.bind,
      addNodes: createNodeLookup(() => separateOperation(resolveOriginal() ?? document, operation)),
    };
  };

  const createVariants = (document: DocumentNode, operation: OperationDefinitionNode): PreparedVariants => {
    const conditionVariables = findConditionVariables(separateOperation(document, operation));
    const variants = {
      conditionVariables,
      byValues: new Map<string, PreparedOperation | null>(),
    };
    variantsByOperation.set(operation, variants);
    return variants;
  };

  const compile = (
    document: DocumentNode,
    operation: OperationDefinitionNode,
    variables: CoercedValues,
    key: string,
  ): void => {
    const parameterizedOperation = parameterizeOperation(document, operation, variables);
    if (!parameterizedOperation) return;
    // Parse the printed text, so that the code depends on nothing else: other documents share it.
    const numbered = numberNodes(parse(print(parameterizedOperation.document), { noLocation: true }));
    if (!isCompilable(numbered)) return;
    const result = compileQuery(schema, numbered);
    if (!isCompiledQuery(result)) return;
    codeByKey.set(key, {
      query: result.query as GeneratedCode['query'],
      size: countFields(numbered, firstOperation(numbered)),
    });
    onCompiled?.();
  };

  const getCompiled = (prepared: PreparedOperation): CompiledOperation | undefined => {
    const code = codeByKey.get(prepared.key);
    if (!code) return undefined;
    if (prepared.last?.code !== code) prepared.last = { code, compiled: bindGeneratedCode(code, prepared) };
    return prepared.last.compiled;
  };

  return {
    get(operation, variables) {
      const variants = variantsByOperation.get(operation);
      const prepared = variants?.byValues.get(conditionValuesKey(variants, variables));
      return prepared ? getCompiled(prepared) : undefined;
    },

    async countUse(document, operation, variables, callerKey) {
      if (compileAfter === 'never') return null;
      const variants = variantsByOperation.get(operation) ?? createVariants(document, operation);
      const variantKey = conditionValuesKey(variants, variables);
      const { byValues } = variants;
      let prepared = byValues.get(variantKey);
      if (prepared === undefined) {
        if (byValues.size >= maxVariants) return null;
        await waitForTurn(callerKey);
        prepared = prepare(document, operation, variables);
        byValues.set(variantKey, prepared);
      }
      if (prepared === null) return null;
      const { key } = prepared;
      const count = usesByKey.get(key) ?? 0;
      usesByKey.set(key, count + 1);
      if (count === compileAfter) {
        await waitForTurn(callerKey);
        compile(document, operation, variables, key);
      }
      return getCompiled(prepared) ?? null;
    },
  };
}

const bindGeneratedCode = (
  { query }: GeneratedCode,
  { bind, addNodes }: PreparedOperation,
): CompiledOperation => ({
  execute(rootValue, context, variables) {
    const parameters = bind(variables);
    return parameters && query(rootValue, context, parameters as Record<string, unknown>);
  },
  addNodes,
});

/** Serializes the values of the variables in conditions. */
function conditionValuesKey({ conditionVariables }: PreparedVariants, variables: CoercedValues): string {
  return conditionVariables.length === 0
    ? ''
    : JSON.stringify(conditionVariables.map((name) => variables[name] ?? null));
}

/** Returns an operation with the fragments that it spreads. */
function separateOperation(document: DocumentNode, operation: OperationDefinitionNode): DocumentNode {
  return separateOperations(document)[operation.name?.value ?? ''] as DocumentNode;
}

const firstOperation = ({ definitions }: DocumentNode) => definitions[0] as OperationDefinitionNode;

/** Counts the fields of an operation after fragment expansion. */
export function countFields(document: DocumentNode, operation: OperationDefinitionNode): number {
  const countFragment = memoizeByFragment(document, ({ selectionSet }) => countSelections(selectionSet), 0);
  const countSelections = (set: SelectionSetNode): number => {
    let count = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) count += countFragment(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) count += countSelections(node.selectionSet);
      else count += 1 + (node.selectionSet ? countSelections(node.selectionSet) : 0);
    }
    return count;
  };
  return countSelections(operation.selectionSet);
}

// Compiled code is shared by documents that differ in literals, so the locations in its errors cannot be
// those of a document. Instead, nodes are numbered in document order, and each document looks them up by
// number.

/** Numbers every field and every argument value; the number is stored as the column of its location. */
function numberNodes(document: DocumentNode): DocumentNode {
  for (const [number, node] of locatableNodes(document).entries()) {
    const startToken = { line: 1, column: number };
    Object.assign(node, { loc: { startToken } as Location });
  }
  return document;
}

/**
 * Returns a function that adds the nodes of `original` to errors of compiled code. `original` is called at
 * the first error.
 */
function createNodeLookup(original: () => DocumentNode): (error: GraphQLError) => void {
  let known: readonly ASTNode[] | undefined;
  return (error) => {
    if (error.nodes) return;
    known ??= locatableNodes(original());
    const nodes = (error.locations ?? []).map(({ column }) => known?.[column]);
    Object.defineProperty(error, 'nodes', { value: nodes });
  };
}

function locatableNodes(document: DocumentNode): ASTNode[] {
  const nodes: ASTNode[] = [];
  visit(document, {
    // Variable definitions differ in the compiled document.
    VariableDefinition: () => false,
    Field(node) {
      nodes.push(node);
    },
    Argument({ value }) {
      nodes.push(value);
    },
  });
  return nodes;
}

const compilableKinds: ReadonlySet<string> = new Set([
  Kind.DOCUMENT,
  Kind.OPERATION_DEFINITION,
  Kind.VARIABLE_DEFINITION,
  Kind.NAMED_TYPE,
  Kind.SELECTION_SET,
  Kind.FIELD,
  Kind.ARGUMENT,
  Kind.FRAGMENT_SPREAD,
  Kind.INLINE_FRAGMENT,
  Kind.FRAGMENT_DEFINITION,
  Kind.VARIABLE,
  Kind.NAME,
]);
const parameterPattern = /^p\d+$/;
const reservedFields: ReadonlySet<string> = new Set(['__typename', '__schema', '__type']);
const introspectionTypePattern =
  /^__(Schema|Type|TypeKind|Field|InputValue|EnumValue|Directive|DirectiveLocation)$/;

/**
 * Whether code may be generated from a document. An allow-list, independent of `parameterize`, which produces
 * these documents: no values except variables named as parameters, no directives, and no names with two
 * leading underscores except those of introspection and Relay's `__is<Type>: __typename`.
 *
 * Also false where graphql-jit would generate wrong code: it caches resolvers' `info` by response path joined
 * with `_`, so an alias containing `_` could make two paths collide.
 */
export function isCompilable(document: DocumentNode): boolean {
  let isAllowed = true;
  visit(document, {
    enter(node) {
      isAllowed &&= compilableKinds.has(node.kind) && isNameAllowed(node);
    },
  });
  return isAllowed;
}

function isNameAllowed(node: ASTNode): boolean {
  switch (node.kind) {
    case Kind.VARIABLE:
      return parameterPattern.test(node.name.value);
    case Kind.VARIABLE_DEFINITION:
      return !node.defaultValue;
    case Kind.FIELD:
      return (
        (isUserName(node.name.value) || reservedFields.has(node.name.value)) &&
        (!node.alias?.value.includes('_') || isRelayAlias(node.alias.value, node.name.value))
      );
    case Kind.NAMED_TYPE:
      return isUserName(node.name.value) || introspectionTypePattern.test(node.name.value);
    case Kind.OPERATION_DEFINITION:
      return !node.name;
    case Kind.FRAGMENT_DEFINITION:
    case Kind.FRAGMENT_SPREAD:
    case Kind.ARGUMENT:
      return isUserName(node.name.value);
    default:
      return true;
  }
}

const isUserName = (name = '') => !name.startsWith('__');
const isRelayAlias = (alias: string, field: string) => field === '__typename' && /^__is[A-Z]\w*$/.test(alias);
