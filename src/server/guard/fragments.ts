import {
  type DocumentNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql';

/** Returns a document's fragments by name. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((definition) => [definition.name.value, definition]),
  );
}

/**
 * Computes a value for each fragment once: nested fragments expand exponentially. Within a fragment cycle,
 * which validation rejects, the value is `none`.
 */
export function memoizeByFragment<Value>(
  document: DocumentNode,
  measure: (fragment: FragmentDefinitionNode) => Value,
  none: Value,
): (name: string) => Value {
  const fragments = fragmentsOf(document);
  const valuesByName = new Map<string, Value>();
  return (name) => {
    const known = valuesByName.get(name);
    if (known !== undefined) return known;
    valuesByName.set(name, none);
    const fragment = fragments.get(name);
    const value = fragment ? measure(fragment) : none;
    valuesByName.set(name, value);
    return value;
  };
}

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
