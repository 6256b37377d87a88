import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { memoizeByFragment } from '../guard/fragments.ts';

/** Counts the fields of an operation after fragment expansion. */
export function countFields(document: DocumentNode, operation: OperationDefinitionNode): number {
  const countFragment = memoizeByFragment(document, ({ selectionSet }) => countSelections(selectionSet), 0);
  const countSelections = (set: SelectionSetNode): number => {
    let count = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) count += countFragment(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) count += countSelections(node.selectionSet);
      else count += 1 + (node.selectionSet ? countSelections(node.selectionSet) : 0);
    }
    return count;
  };
  return countSelections(operation.selectionSet);
}
