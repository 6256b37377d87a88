import {
  type ASTVisitor,
  type DocumentNode,
  type GraphQLEnumValue,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { getOrCompute } from '../runtime/memo.ts';

const namesBySchema = new WeakMap<GraphQLSchema, readonly string[]>();
const usesByOperation = new WeakMap<OperationDefinitionNode, readonly string[]>();

/**
 * The deprecated fields, arguments, input fields and enum values that a valid operation and the fragments of its document
 * name, as schema coordinates, such as `ItemCategory.code`. Values of variables are not looked at.
 */
export function listDeprecatedUses(
  schema: GraphQLSchema,
  text: string,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly string[] {
  const names = getOrCompute(namesBySchema, schema, () => listDeprecatedNames(schema));
  // Most documents name none: they are not walked.
  if (!names.some((name) => text.includes(name))) return [];
  return getOrCompute(usesByOperation, operation, () => findUses(schema, document, operation));
}

function findUses(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): readonly string[] {
  const uses = new Set<string>();
  const types = new TypeInfo(schema);
  const visitor: ASTVisitor = {
    Field() {
      const field = types.getFieldDef();
      if (field?.deprecationReason != null) uses.add(`${types.getParentType()?.name}.${field.name}`);
    },
    Argument() {
      const argument = types.getArgument();
      const coordinate = `${types.getParentType()?.name}.${types.getFieldDef()?.name}`;
      if (argument?.deprecationReason != null && !types.getDirective())
        uses.add(`${coordinate}(${argument.name}:)`);
    },
    ObjectField({ name }) {
      const parent = getNamedType(types.getParentInputType());
      if (!isInputObjectType(parent)) return;
      const field = parent.getFields()[name.value];
      if (field?.deprecationReason != null) uses.add(`${parent.name}.${field.name}`);
    },
    EnumValue() {
      const value = types.getEnumValue();
      if (value?.deprecationReason != null)
        uses.add(`${getNamedType(types.getInputType())?.name}.${value.name}`);
    },
  };
  const definitions = document.definitions.filter(
    (definition) => definition === operation || definition.kind === Kind.FRAGMENT_DEFINITION,
  );
  visit({ ...document, definitions }, visitWithTypeInfo(types, visitor));
  return [...uses];
}

type Member = Pick<GraphQLEnumValue, 'name' | 'deprecationReason'>;

function listDeprecatedNames(schema: GraphQLSchema): readonly string[] {
  const members = Object.values(schema.getTypeMap()).flatMap((type): Member[] => {
    if (isEnumType(type)) return [...type.getValues()];
    if (isInputObjectType(type)) return Object.values(type.getFields());
    if (!isObjectType(type) && !isInterfaceType(type)) return [];
    return Object.values(type.getFields()).flatMap((field) => [field, ...field.args]);
  });
  const deprecated = members.filter(({ deprecationReason }) => deprecationReason != null);
  return [...new Set(deprecated.map(({ name }) => name))];
}
