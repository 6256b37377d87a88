import {
  type ArgumentNode,
  type DocumentNode,
  type GraphQLInputType,
  type GraphQLSchema,
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
