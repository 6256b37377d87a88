import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  type ObjectTypeDefinitionNode,
  parseConstValue,
  type TypeNode,
  visit,
} from 'graphql';
import { definitionKeys } from './definition-keys.ts';
import { hasKey } from './entities.ts';
import { fieldsCountedWithParent } from './row-types.ts';

/** How many objects a list without `first` is taken to have, such as the lines of an order. */
export const assumedListSize = 10;

/**
 * Says for routers that count cost what the guard counts, by the directives of the cost specification
 * (https://ibm.github.io/graphql-specs/cost-spec.html): the size of each list of objects with `@listSize`, and with `@cost`
 * that objects that are no rows, such as connections and payloads, cost nothing.
 */
export function addCosts(documents: readonly DocumentNode[]): DocumentNode[] {
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
    const size = first?.defaultValue?.kind === Kind.INT ? pageSize : `{ assumedSize: ${assumedListSize} }`;
    return { ...field, directives: [...(field.directives ?? []), directive('listSize', size)] };
  };
  const addWeight = (type: ObjectTypeDefinitionNode): ObjectTypeDefinitionNode | undefined =>
    isRow(type)
      ? undefined
      : { ...type, directives: [...(type.directives ?? []), directive('cost', '{ weight: 0 }')] };
  return documents.map((document) =>
    visit(document, { FieldDefinition: addSize, ObjectTypeDefinition: addWeight }, definitionKeys),
  );
}

const builtInScalars = ['String', 'Int', 'Float', 'Boolean', 'ID'];

/** Without `assumedSize`: the default of `first` says the size, and some routers refuse both. */
const pageSize =
  '{ slicingArguments: ["first"], sizedFields: ["edges", "nodes"], requireOneSlicingArgument: false }';

/** As `isRowType` judges types of a schema. */
const isRow = (type: ObjectTypeDefinitionNode): boolean =>
  hasKey(type) || type.fields?.some(({ name }) => name.value === 'id') === true;

/** The directive with these arguments, written as an object. */
function directive(name: string, text: string): ConstDirectiveNode {
  const value = parseConstValue(text);
  return {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: name },
    arguments:
      value.kind === Kind.OBJECT
        ? value.fields.map((field) => ({ kind: Kind.ARGUMENT, name: field.name, value: field.value }))
        : [],
  };
}

const isList = (type: TypeNode): boolean =>
  type.kind === Kind.LIST_TYPE || (type.kind === Kind.NON_NULL_TYPE && isList(type.type));

const namedType = (type: TypeNode): string =>
  type.kind === Kind.NAMED_TYPE ? type.name.value : namedType(type.type);
