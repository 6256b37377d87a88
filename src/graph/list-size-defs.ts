import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  parseConstValue,
  type TypeNode,
  visit,
} from 'graphql';
import { fieldsCountedWithParent } from './row-types.ts';

/** How many objects a list without `first` is taken to have, such as the lines of an order. */
export const assumedListSize = 10;

/**
 * Says the size of each list of objects in the schema, for routers that count cost: the directive `@listSize` of the cost
 * specification (https://ibm.github.io/graphql-specs/cost-spec.html), as the guard counts it.
 */
export function addListSizes(documents: readonly DocumentNode[]): DocumentNode[] {
  const leaves = new Set(builtInScalars);
  for (const { definitions } of documents)
    for (const definition of definitions)
      if (definition.kind === Kind.SCALAR_TYPE_DEFINITION || definition.kind === Kind.ENUM_TYPE_DEFINITION)
        leaves.add(definition.name.value);
  const addSize = (field: FieldDefinitionNode): FieldDefinitionNode | undefined => {
    const first = field.arguments?.find(({ name }) => name.value === 'first');
    const isWhole =
      isList(field.type) &&
      !leaves.has(namedType(field.type)) &&
      !fieldsCountedWithParent.has(field.name.value);
    if (!first && !isWhole) return undefined;
    const size =
      first?.defaultValue?.kind === Kind.INT
        ? pageSize(first.defaultValue.value)
        : `{ assumedSize: ${assumedListSize} }`;
    return { ...field, directives: [...(field.directives ?? []), listSize(size)] };
  };
  return documents.map((document) => visit(document, { FieldDefinition: addSize }));
}

const builtInScalars = ['String', 'Int', 'Float', 'Boolean', 'ID'];

const pageSize = (defaultFirst: string): string =>
  `{ assumedSize: ${defaultFirst}, slicingArguments: ["first"], sizedFields: ["edges", "nodes"], requireOneSlicingArgument: false }`;

/** The directive with these arguments, written as an object. */
function listSize(text: string): ConstDirectiveNode {
  const value = parseConstValue(text);
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: 'listSize' },
    arguments:
      value.kind === Kind.OBJECT
        ? value.fields.map(({ name, value: given }) => ({ kind: Kind.ARGUMENT, name, value: given }))
        : [],
  };
}

const isList = (type: TypeNode): boolean =>
  type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && isList(type.type));

const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
