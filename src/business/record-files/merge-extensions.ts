import {
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  type InputValueDefinitionNode,
  Kind,
} from 'graphql';

interface AddedFields {
  readonly types: Map<string, readonly FieldDefinitionNode[]>;
  readonly inputs: Map<string, readonly InputValueDefinitionNode[]>;
}

/**
 * Writes the fields that documents add to these types, and to inputs, into their definitions: whatever derives from types
 * looks at definitions alone.
 */
export function mergeExtensions(
  documents: readonly DocumentNode[],
  extended: ReadonlySet<string>,
): readonly DocumentNode[] {
  if (extended.size === 0) return documents;
  const added: AddedFields = { types: new Map(), inputs: new Map() };
  const isTaken = (node: DefinitionNode): boolean => {
    if (node.kind === Kind.INPUT_OBJECT_TYPE_EXTENSION) {
      added.inputs.set(node.name.value, [
        ...(added.inputs.get(node.name.value) ?? []),
        ...(node.fields ?? []),
      ]);
      return true;
    }
    if (node.kind !== Kind.OBJECT_TYPE_EXTENSION || !extended.has(node.name.value)) return false;
    added.types.set(node.name.value, [...(added.types.get(node.name.value) ?? []), ...(node.fields ?? [])]);
    return true;
  };
  const rest = documents.map((document) => ({
    ...document,
    definitions: document.definitions.filter((node) => !isTaken(node)),
  }));
  return rest.map((document) => ({
    ...document,
    definitions: document.definitions.map((node) => addFields(node, added)),
  }));
}

function addFields(node: DefinitionNode, { types, inputs }: AddedFields): DefinitionNode {
  if (node.kind === Kind.OBJECT_TYPE_DEFINITION) {
    const fields = types.get(node.name.value);
    return fields ? { ...node, fields: [...(node.fields ?? []), ...fields] } : node;
  }
  if (node.kind === Kind.INPUT_OBJECT_TYPE_DEFINITION) {
    const fields = inputs.get(node.name.value);
    return fields ? { ...node, fields: [...(node.fields ?? []), ...fields] } : node;
  }
  return node;
}
