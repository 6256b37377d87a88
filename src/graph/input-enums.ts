import {
  type DefinitionNode,
  type DocumentNode,
  type EnumTypeDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
  visit,
} from 'graphql';
import { definitionKeys, typeKeys } from './definition-keys.ts';

const unrecognized = 'UNRECOGNIZED';

/**
 * Where an input takes an enum that can be UNRECOGNIZED, replaces it by a copy without that value, `<Enum>Input`: only what
 * is read can be unrecognized. Beside it, a field of the same name with `Raw` takes the upstream's own word, for choices
 * that the enum does not have.
 */
export function addInputEnums(documents: readonly DocumentNode[]): DocumentNode[] {
  const openEnums = new Map(
    documents.flatMap(({ definitions }) =>
      definitions.filter(isOpenEnum).map((definition) => [definition.name.value, definition]),
    ),
  );
  const used = new Set<string>();
  const replaceType = (value: InputValueDefinitionNode): readonly InputValueDefinitionNode[] => {
    let isOpen = false;
    const replaced = visit(
      value,
      {
        NamedType(node) {
          if (!openEnums.has(node.name.value)) return undefined;
          isOpen = true;
          used.add(node.name.value);
          return { ...node, name: { ...node.name, value: inputEnumName(node.name.value) } };
        },
      },
      typeKeys,
    );
    return isOpen ? [replaced, toRawField(value)] : [value];
  };
  const replaced = documents.map((document) =>
    visit(
      document,
      {
        InputObjectTypeDefinition: (node) => ({ ...node, fields: node.fields?.flatMap(replaceType) }),
      },
      definitionKeys,
    ),
  );
  return replaced.map(({ definitions, ...document }) => ({
    ...document,
    definitions: definitions.flatMap((definition) =>
      isOpenEnum(definition) && used.has(definition.name.value)
        ? [definition, toInputEnum(definition)]
        : [definition],
    ),
  }));
}

/** The field that takes words in place of values of the enum. */
const toRawField = (field: InputValueDefinitionNode): InputValueDefinitionNode => ({
  ...visit(
    field,
    {
      NamedType: (node) => ({ ...node, name: { ...node.name, value: 'String' } }),
    },
    typeKeys,
  ),
  name: { ...field.name, value: `${field.name.value}Raw` },
  description: {
    kind: Kind.STRING,
    value: `As \`${field.name.value}\`, but as the upstream's own word: for a choice that is UNRECOGNIZED when it is read.`,
  },
});

const inputEnumName = (name: string): string => `${name}Input`;

const isOpenEnum = (definition: DefinitionNode): definition is EnumTypeDefinitionNode =>
  definition.kind === Kind.ENUM_TYPE_DEFINITION &&
  definition.values?.some(({ name }) => name.value === unrecognized) === true;

const toInputEnum = ({ name, values = [], ...rest }: EnumTypeDefinitionNode): EnumTypeDefinitionNode => ({
  ...rest,
  name: { ...name, value: inputEnumName(name.value) },
  values: values.filter((value) => value.name.value !== unrecognized),
});
