import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';

/** How many fields an operation has once every fragment is written out where it is spread. */
export function fieldsOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  const sets = new Map<string, SelectionSetNode>();
  for (const definition of document.definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION)
      sets.set(definition.name.value, definition.selectionSet);
  }
  // Each fragment is counted once: spread in one another they would take as long to count as to write out.
  const counted = new Map<string, number>();

  const countFragment = (name: string): number => {
    const known = counted.get(name);
    if (known !== undefined) return known;
    counted.set(name, 0);
    const set = sets.get(name);
    const count = set ? countSet(set) : 0;
    counted.set(name, count);
    return count;
  };

  const countSet = (set: SelectionSetNode): number => {
    let count = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) count += countFragment(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) count += countSet(node.selectionSet);
      else count += 1 + (node.selectionSet ? countSet(node.selectionSet) : 0);
    }
    return count;
  };

  return countSet(operation.selectionSet);
}
