import {
  type DefinitionNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  visit,
} from 'graphql';

const unrecognized = 'UNRECOGNIZED';

/**
 * Where an input takes an enum that can be UNRECOGNIZED, replaces it by a copy without that value, `<Enum>Input`: only what
 * is read can be unrecognized.
 */
export function addInputEnums(documents: readonly DocumentNode[]): DocumentNode[] {
  const openEnums = new Map(
    documents.flatMap(({ definitions }) =>
      definitions.filter(isOpenEnum).map((definition) => [definition.name.value, definition]),
    ),
  );
  const used = new Set<string>();
  const replaceType = (value: InputValueDefinitionNode): InputValueDefinitionNode =>
    visit(value, {
      NamedType(node) {
        if (!openEnums.has(node.name.value)) return undefined;
        used.add(node.name.value);
        return { ...node, name: { ...node.name, value: inputEnumName(node.name.value) } };
      },
    });
  const replaced = documents.map((document) => visit(document, { InputValueDefinition: replaceType }));
  return replaced.map(({ definitions, ...document }) => ({
    ...document,
    definitions: definitions.flatMap((definition) =>
      isOpenEnum(definition) && used.has(definition.name.value)
        ? [definition, toInputEnum(definition)]
        : [definition],
    ),
  }));
}

const inputEnumName = (name: string): string => `${name}Input`;

const isOpenEnum = (definition: DefinitionNode): definition is EnumTypeDefinitionNode =>
  definition.kind === Kind.ENUM_TYPE_DEFINITION &&
  definition.values?.some(({ name }) => name.value === unrecognized) === true;

const toInputEnum = ({ name, values = [], ...rest }: EnumTypeDefinitionNode): EnumTypeDefinitionNode => ({
  ...rest,
  name: { ...name, value: inputEnumName(name.value) },
  values: values.filter((value) => value.name.value !== unrecognized),
});
