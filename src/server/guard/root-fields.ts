import { type DocumentNode, Kind, type OperationDefinitionNode, type SelectionSetNode } from 'graphql';
import { fragmentsOf } from './fragments.ts';

/** Returns the names of an operation's root fields, ignoring `@skip` and `@include`. */
export function rootFieldNames(
  document: DocumentNode,
  { selectionSet }: OperationDefinitionNode,
): ReadonlySet<string> {
  const fragments = fragmentsOf(document);
  const fields = new Set<string>();
  const spread = new Set<string>();
  const collect = (set: SelectionSetNode | undefined) => {
    for (const node of set?.selections ?? []) {
      if (node.kind === Kind.FIELD) fields.add(node.name.value);
      else if (node.kind === Kind.INLINE_FRAGMENT) collect(node.selectionSet);
      else if (!spread.has(node.name.value)) {
        spread.add(node.name.value);
        collect(fragments.get(node.name.value)?.selectionSet);
      }
    }
  };
  collect(selectionSet);
  return fields;
}
