import { type DocumentNode, type InputValueDefinitionNode, Kind, parse, visit } from 'graphql';
import { definitionKeys } from '../definition-keys.ts';

/** Fields that are texts of an upstream, possibly with markup, by type. */
export type TextFields = Readonly<Record<string, readonly string[]>>;

const [format] = readArguments(
  parse('type Texts { text("How to return it." format: TextFormat! = RAW): String }'),
);

/** Adds the argument `format` to the fields that are texts. Throws where one of them is not defined. */
export function addTextFormats(documents: readonly DocumentNode[], textFields: TextFields): DocumentNode[] {
  const missing = new Set(
    Object.entries(textFields).flatMap(([type, fields]) => fields.map((name) => `${type}.${name}`)),
  );
  const complete = documents.map((document) =>
    visit(
      document,
      {
        ObjectTypeDefinition(type) {
          const texts = textFields[type.name.value];
          if (!texts) return undefined;
          const fields = type.fields?.map((field) => {
            if (!texts.includes(field.name.value)) return field;
            missing.delete(`${type.name.value}.${field.name.value}`);
            return { ...field, arguments: [...(field.arguments ?? []), format as InputValueDefinitionNode] };
          });
          return { ...type, fields: fields ?? [] };
        },
      },
      definitionKeys,
    ),
  );
  if (missing.size > 0) throw new Error(`Texts that no type defines: ${[...missing].join(', ')}.`);
  return complete;
}

function readArguments({ definitions }: DocumentNode): readonly InputValueDefinitionNode[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OBJECT_TYPE_DEFINITION
      ? (definition.fields ?? []).flatMap((field) => field.arguments ?? [])
      : [],
  );
}
