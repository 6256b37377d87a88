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
import { hasVariables, literalReader, type Values } from './literals.ts';

/** An operation as a parameterized query: every argument is a parameter, and no value stands in the document. */
export interface ParameterizedOperation {
  /**
   * The operation without its name, and the fragments it spreads. The value of every argument is a variable of its own,
   * `p0`, `p1` … in document order, of type `JSON`. Nodes keep their locations.
   */
  readonly document: DocumentNode;
  /**
   * The values of the parameters for the coerced variables of a request. An argument whose variable is absent has
   * none. Null where an argument cannot be coerced with them.
   */
  bind(variables: Values): Values | null;
}

interface Parameter {
  readonly name: string;
  /** Undefined where there is no value. */
  read(variables: Values): unknown;
  /** Whether undefined means that the value is not valid, and not that the argument was left out. */
  readonly isRequired: boolean;
  readonly isConstant: boolean;
}

/** `document` has one operation. Null where a literal does not fit its type, which validation refuses. */
export function parameterize(schema: GraphQLSchema, document: DocumentNode): ParameterizedOperation | null {
  const parameters: (Parameter | null)[] = [];
  const typeInfo = new TypeInfo(schema);
  const replaceValue = (node: ArgumentNode): ArgumentNode => {
    const name = `p${parameters.length}`;
    const type = typeInfo.getArgument()?.type;
    parameters.push(type ? parameterOf(name, node.value, type) : null);
    const value = { kind: Kind.VARIABLE, name: nameNode(name), loc: node.value.loc } as const;
    return { ...node, value } as ArgumentNode;
  };
  const changed: DocumentNode = visit(
    document,
    visitWithTypeInfo(typeInfo, {
      VariableDefinition: () => null,
      Argument: replaceValue,
    }),
  );
  if (!parameters.every((parameter) => parameter !== null)) return null;
  const definitions = changed.definitions.map((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return definition;
    const { name: _name, ...rest } = definition;
    return { ...rest, variableDefinitions: parameters.map(definitionOf) };
  });
  return { document: { kind: Kind.DOCUMENT, definitions }, bind: binding(parameters) };
}

function parameterOf(name: string, node: ValueNode, type: GraphQLInputType): Parameter | null {
  // A null that the argument does not take is passed on: compiled code reports it as graphql-js does.
  if (node.kind === Kind.VARIABLE) {
    const variable = node.name.value;
    return {
      name,
      read: (variables) => (Object.hasOwn(variables, variable) ? variables[variable] : undefined),
      isRequired: false,
      isConstant: false,
    };
  }
  const read = literalReader(node, type);
  const isConstant = !hasVariables(node);
  return isConstant && read({}) === undefined ? null : { name, read, isRequired: true, isConstant };
}

function binding(parameters: readonly Parameter[]): ParameterizedOperation['bind'] {
  const bind = (variables: Values): Values | null => {
    const values: Record<string, unknown> = {};
    for (const { name, isRequired, read } of parameters) {
      const value = read(variables);
      if (value === undefined && isRequired) return null;
      if (value !== undefined) values[name] = value;
    }
    return values;
  };
  if (!parameters.every(({ isConstant }) => isConstant)) return bind;
  const only = bind({});
  return () => only;
}

const definitionOf = ({ name }: Parameter): VariableDefinitionNode => ({
  kind: Kind.VARIABLE_DEFINITION,
  variable: { kind: Kind.VARIABLE, name: nameNode(name) },
  type: { kind: Kind.NAMED_TYPE, name: nameNode('JSON') },
});

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;
