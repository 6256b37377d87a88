import { type DocumentNode, type FragmentDefinitionNode, Kind } from 'graphql';

/** The fragments of a document by their names. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((definition) => [definition.name.value, definition]),
  );
}

/**
 * What a fragment comes to wherever it is spread, worked out once for each: spread in one another, fragments would
 * take as long to walk as to write out. One that holds itself, which validation refuses, comes to `none` there.
 */
export function perFragment<Value>(
  document: DocumentNode,
  measure: (fragment: FragmentDefinitionNode) => Value,
  none: Value,
): (name: string) => Value {
  const fragments = fragmentsOf(document);
  const known = new Map<string, Value>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    known.set(name, none);
    const fragment = fragments.get(name);
    const value = fragment ? measure(fragment) : none;
    known.set(name, value);
    return value;
  };
}
