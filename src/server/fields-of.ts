import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { perFragment } from './written-out.ts';

/** How many fields an operation has once every fragment is written out where it is spread. */
export function fieldsOf(document: DocumentNode, operation: OperationDefinitionNode): number {
  const ofFragment = perFragment(document, ({ selectionSet }) => ofSet(selectionSet), 0);
  const ofSet = (set: SelectionSetNode): number => {
    let count = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) count += ofFragment(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) count += ofSet(node.selectionSet);
      else count += 1 + (node.selectionSet ? ofSet(node.selectionSet) : 0);
    }
    return count;
  };
  return ofSet(operation.selectionSet);
}
