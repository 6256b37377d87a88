import { type DocumentNode, Kind, type SelectionNode, type SelectionSetNode, visit } from 'graphql';
import { listFragments } from '../../graph/selection.ts';

// Real documents stay far below these limits. `maxRepeats` limits how often a response name occurs, with and without a
// selection set: validation compares these fields pairwise, which is quadratic.
const maxRepeats = { withFields: 100, alone: 300 };
const maxSpreadsPerSelection = 100;
const maxSyntaxNesting = 500;

export interface DocumentLimits {
  readonly maxTokens: number;
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxDirectives: number;
}

/**
 * Returns a message about the limit that a document exceeds; null if none. Runs before validation, which takes longer,
 * so the document may be invalid.
 */
export function findExcess(document: DocumentNode, limits: Omit<DocumentLimits, 'maxTokens'>): string | null {
  let aliases = 0;
  let directives = 0;
  let currentNesting = 0;
  let deepestNesting = 0;
  let spreads = 0;
  const repeats = { withFields: new Map<string, number>(), alone: new Map<string, number>() };
  visit(document, {
    enter(node) {
      currentNesting += 1;
      deepestNesting = Math.max(deepestNesting, currentNesting);
      if (node.kind === Kind.DIRECTIVE) directives += 1;
      if (node.kind === Kind.SELECTION_SET)
        spreads = Math.max(spreads, node.selections.filter(isSpread).length);
      if (node.kind !== Kind.FIELD) return;
      if (node.alias) aliases += 1;
      const name = (node.alias ?? node.name).value;
      const counts = repeats[node.selectionSet ? 'withFields' : 'alone'];
      counts.set(name, (counts.get(name) ?? 0) + 1);
    },
    leave() {
      currentNesting -= 1;
    },
  });
  const { maxDepth, maxAliases, maxDirectives } = limits;
  if (deepestNesting > maxSyntaxNesting) return 'The document is nested too deeply.';
  if (aliases > maxAliases) return `The document has ${aliases} aliases; the limit is ${maxAliases}.`;
  if (directives > maxDirectives)
    return `The document has ${directives} directives; the limit is ${maxDirectives}.`;
  if (spreads > maxSpreadsPerSelection)
    return `The document spreads ${spreads} fragments in one selection set; the limit is ${maxSpreadsPerSelection}.`;
  for (const kind of ['withFields', 'alone'] as const)
    for (const [name, count] of repeats[kind])
      if (count > maxRepeats[kind])
        return `The document has \`${name}\` ${count} times; the limit is ${maxRepeats[kind]}.`;
  const depth = measureDepth(document);
  if (depth > maxDepth) return `The document is ${depth} fields deep; the limit is ${maxDepth}.`;
  return null;
}

const isSpread = ({ kind }: SelectionNode) => kind === Kind.FRAGMENT_SPREAD;

/** Returns the maximum depth of fields after fragment expansion, without introspection, which the cost limits. */
function measureDepth(document: DocumentNode): number {
  const fragments = listFragments(document);
  // Each fragment is measured once, since nested fragments expand exponentially. Cycles, which validation rejects, add 0.
  const depths = new Map<string, number>();
  const depthOfFragment = (name: string): number => {
    const known = depths.get(name);
    if (known !== undefined) return known;
    depths.set(name, 0);
    const fragment = fragments.get(name);
    const depth = fragment ? depthOfSelections(fragment.selectionSet) : 0;
    depths.set(name, depth);
    return depth;
  };
  const depthOfSelections = (set: SelectionSetNode): number => {
    let depth = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) depth = Math.max(depth, depthOfFragment(node.name.value));
      else if (node.kind === Kind.INLINE_FRAGMENT)
        depth = Math.max(depth, depthOfSelections(node.selectionSet));
      else if (!node.name.value.startsWith('__'))
        depth = Math.max(depth, 1 + (node.selectionSet ? depthOfSelections(node.selectionSet) : 0));
    }
    return depth;
  };
  return Math.max(
    ...document.definitions.map((definition) =>
      definition.kind === Kind.OPERATION_DEFINITION ? depthOfSelections(definition.selectionSet) : 0,
    ),
  );
}
