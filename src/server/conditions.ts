import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  visit,
} from 'graphql';

type Conditional = FieldNode | FragmentSpreadNode | InlineFragmentNode;
type Variables = Readonly<Record<string, unknown>>;

const isCondition = ({ name: { value } }: DirectiveNode) => value === 'skip' || value === 'include';

/** The names of the variables that `@skip` and `@include` of a document depend on. */
export function conditionVariables(document: DocumentNode): readonly string[] {
  const names = new Set<string>();
  visit(document, {
    Directive(node) {
      const value = isCondition(node) ? node.arguments?.[0]?.value : undefined;
      if (value?.kind === Kind.VARIABLE) names.add(value.name.value);
    },
  });
  return [...names];
}

/**
 * A document without the selections that `@skip` and `@include` leave out, and without these directives. Null where a
 * condition is no Boolean, or nothing is left of a selection set.
 */
export function resolveConditions(document: DocumentNode, variables: Variables): DocumentNode | null {
  let isPossible = true;
  const holds = ({ arguments: given }: DirectiveNode): boolean => {
    const node = given?.[0]?.value;
    const value =
      node?.kind === Kind.VARIABLE
        ? variables[node.name.value]
        : node?.kind === Kind.BOOLEAN
          ? node.value
          : undefined;
    if (typeof value !== 'boolean') isPossible = false;
    return value === true;
  };
  const resolve = <Node extends Conditional>(node: Node): Node | null | undefined => {
    const conditions = node.directives?.filter(isCondition) ?? [];
    if (conditions.length === 0) return undefined;
    const isIncluded = conditions.every((one) => holds(one) === (one.name.value === 'include'));
    return isIncluded ? { ...node, directives: node.directives?.filter((one) => !isCondition(one)) } : null;
  };
  const resolved: DocumentNode = visit(document, {
    Field: resolve,
    FragmentSpread: resolve,
    InlineFragment: resolve,
    SelectionSet: {
      leave({ selections }) {
        if (selections.length === 0) isPossible = false;
      },
    },
  });
  return isPossible ? resolved : null;
}
