import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentSpreadNode,
  type InlineFragmentNode,
  Kind,
  visit,
} from 'graphql';

type ConditionalNode = FieldNode | FragmentSpreadNode | InlineFragmentNode;
type ConditionValues = Readonly<Record<string, unknown>>;

const isCondition = ({ name: { value } }: DirectiveNode) => value === 'skip' || value === 'include';

/** Returns the names of the variables used by `@skip` and `@include` in a document. */
export function findConditionVariables(document: DocumentNode): readonly string[] {
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
 * Applies `@skip` and `@include`, and removes them. Returns null when a condition is not a Boolean, or when a
 * selection set becomes empty.
 */
export function resolveConditions(document: DocumentNode, variables: ConditionValues): DocumentNode | null {
  let isResolvable = true;
  const evaluate = ({ arguments: args }: DirectiveNode): boolean => {
    const node = args?.[0]?.value;
    const value =
      node?.kind === Kind.VARIABLE
        ? variables[node.name.value]
        : node?.kind === Kind.BOOLEAN
          ? node.value
          : undefined;
    if (typeof value !== 'boolean') isResolvable = false;
    return value === true;
  };
  const resolve = <Node extends ConditionalNode>(node: Node): Node | null | undefined => {
    const conditions = node.directives?.filter(isCondition) ?? [];
    if (conditions.length === 0) return undefined;
    const isIncluded = conditions.every(
      (directive) => evaluate(directive) === (directive.name.value === 'include'),
    );
    return isIncluded
      ? { ...node, directives: node.directives?.filter((directive) => !isCondition(directive)) }
      : null;
  };
  const resolved: DocumentNode = visit(document, {
    Field: resolve,
    FragmentSpread: resolve,
    InlineFragment: resolve,
    SelectionSet: {
      leave({ selections }) {
        if (selections.length === 0) isResolvable = false;
      },
    },
  });
  return isResolvable ? resolved : null;
}
