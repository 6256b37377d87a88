import {
  type ArgumentNode,
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  type GraphQLInputType,
  type GraphQLSchema,
  type InlineFragmentNode,
  Kind,
  TypeInfo,
  type ValueNode,
  type VariableDefinitionNode,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { type CoercedValues, createLiteralReader, hasVariables } from './literals.ts';

/**
 * An operation as a parameterized query: every argument is a parameter, and the document contains no values.
 */
export interface ParameterizedOperation {
  /**
   * The operation without its name, and the fragments it spreads. Every argument value is a variable `p0`,
   * `p1` … of type `JSON`, in document order. Nodes keep their locations.
   */
  readonly document: DocumentNode;
  /**
   * Returns the parameters' values for the coerced variables of a request. An argument whose variable is
   * absent has none. Returns null when an argument cannot be coerced.
   */
  bind(variables: CoercedValues): CoercedValues | null;
}

interface Parameter {
  readonly name: string;
  /** Undefined if there is no value. */
  read(variables: CoercedValues): unknown;
  /** Whether undefined means an invalid value rather than an omitted argument. */
  readonly isRequired: boolean;
  readonly isConstant: boolean;
}

/**
 * `document` must have a single operation. Returns null when a literal does not match its type, which
 * validation rejects.
 */
export function parameterize(schema: GraphQLSchema, document: DocumentNode): ParameterizedOperation | null {
  const parameters: (Parameter | null)[] = [];
  const typeInfo = new TypeInfo(schema);
  const replaceValue = (node: ArgumentNode): ArgumentNode => {
    const name = `p${parameters.length}`;
    const type = typeInfo.getArgument()?.type;
    parameters.push(type ? createParameter(name, node.value, type) : null);
    const value = { kind: Kind.VARIABLE, name: nameNode(name), loc: node.value.loc } as const;
    return { ...node, value } as ArgumentNode;
  };
  const visited: DocumentNode = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: () => null,
      Argument: replaceValue,
    }),
  );
  if (!parameters.every((parameter) => parameter !== null)) return null;
  const definitions = visited.definitions.map((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return definition;
    const { name: _name, ...rest } = definition;
    return { ...rest, variableDefinitions: parameters.map(variableDefinition) };
  });
  return { document: { kind: Kind.DOCUMENT, definitions }, bind: createBind(parameters) };
}

function createParameter(name: string, node: ValueNode, type: GraphQLInputType): Parameter | null {
  // Null is passed on even if the argument does not accept it: compiled code reports it as graphql-js does.
  if (node.kind === Kind.VARIABLE) {
    const variable = node.name.value;
    return {
      name,
      read: (variables) => (Object.hasOwn(variables, variable) ? variables[variable] : undefined),
      isRequired: false,
      isConstant: false,
    };
  }
  const read = createLiteralReader(node, type);
  const isConstant = !hasVariables(node);
  return isConstant && read({}) === undefined ? null : { name, read, isRequired: true, isConstant };
}

function createBind(parameters: readonly Parameter[]): ParameterizedOperation['bind'] {
  const bind = (variables: CoercedValues): CoercedValues | null => {
    const values: Record<string, unknown> = {};
    for (const { name, isRequired, read } of parameters) {
      const value = read(variables);
      if (value === undefined && isRequired) return null;
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
  if (!parameters.every(({ isConstant }) => isConstant)) return bind;
  const constantValues = bind({});
  return () => constantValues;
}

const variableDefinition = ({ name }: Parameter): VariableDefinitionNode => ({
  kind: Kind.VARIABLE_DEFINITION,
  variable: { kind: Kind.VARIABLE, name: nameNode(name) },
  type: { kind: Kind.NAMED_TYPE, name: nameNode('JSON') },
});

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;

type ConditionalNode = FieldNode | FragmentSpreadNode | InlineFragmentNode;
type ConditionValues = Readonly<Record<string, unknown>>;

const isCondition = ({ name: { value } }: DirectiveNode) => value === 'skip' || value === 'include';

/** Returns the names of the variables used by `@skip` and `@include` in a document. */
export function findConditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(node) {
      const value = isCondition(node) ? node.arguments?.[0]?.value : undefined;
      if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

/**
 * Applies `@skip` and `@include`, and removes them. Returns null when a condition is not a Boolean, or when a
 * selection set becomes empty.
 */
export function resolveConditions(document: DocumentNode, variables: ConditionValues): DocumentNode | null {
  let isResolvable = true;
  const evaluate = ({ arguments: args }: DirectiveNode): boolean => {
    const node = args?.[0]?.value;
    const value =
      node?.kind === Kind.VARIABLE
        ? variables[node.name.value]
        : node?.kind === Kind.BOOLEAN
          ? node.value
          : undefined;
    if (typeof value !== 'boolean') isResolvable = false;
    return value === true;
  };
  const resolve = <Node extends ConditionalNode>(node: Node): Node | null | undefined => {
    const conditions = node.directives?.filter(isCondition) ?? [];
    if (conditions.length === 0) return undefined;
    const isIncluded = conditions.every(
      (directive) => evaluate(directive) === (directive.name.value === 'include'),
    );
    return isIncluded
      ? { ...node, directives: node.directives?.filter((directive) => !isCondition(directive)) }
      : null;
  };
  const resolved: DocumentNode = visit(document, {
    Field: resolve,
    FragmentSpread: resolve,
    InlineFragment: resolve,
    SelectionSet: {
      leave({ selections }) {
        if (selections.length === 0) isResolvable = false;
      },
    },
  });
  return isResolvable ? resolved : null;
}
