import { type DocumentNode, Kind, type SelectionNode, type SelectionSetNode, visit } from 'graphql';
import { perFragment } from './written-out.ts';

// More than any honest document has: fields of one name, with others below them and without; fragments in one place;
// nodes within one another, values and fragments among them. Validation compares the former pair by pair.
const maxRepeats = { withFields: 100, alone: 300 };
const maxSpreads = 100;
const maxNesting = 500;

export interface DocumentLimits {
  readonly maxDepth: number;
  readonly maxAliases: number;
  readonly maxDirectives: number;
}

/**
 * What a document has too much of, as a message; null where it has not. It need not be valid: this is looked at
 * before validation, which takes longer.
 */
export function excessOf(document: DocumentNode, limits: DocumentLimits): string | null {
  let aliases = 0;
  let directives = 0;
  let level = 0;
  let nesting = 0;
  let spreads = 0;
  const repeats = { withFields: new Map<string, number>(), alone: new Map<string, number>() };
  visit(document, {
    enter(node) {
      level += 1;
      nesting = Math.max(nesting, level);
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
      level -= 1;
    },
  });
  const { maxDepth, maxAliases, maxDirectives } = limits;
  if (nesting > maxNesting) return 'The document is nested too deeply.';
  if (aliases > maxAliases) return `The document has ${aliases} aliases; ${maxAliases} are taken at most.`;
  if (directives > maxDirectives)
    return `The document has ${directives} directives; ${maxDirectives} are taken at most.`;
  if (spreads > maxSpreads)
    return `The document spreads ${spreads} fragments in one place; ${maxSpreads} are taken at most.`;
  for (const kind of ['withFields', 'alone'] as const)
    for (const [name, count] of repeats[kind])
      if (count > maxRepeats[kind])
        return `The document has \`${name}\` ${count} times; ${maxRepeats[kind]} are taken at most.`;
  const depth = depthOf(document);
  if (depth > maxDepth) return `The document is ${depth} fields deep; ${maxDepth} are taken at most.`;
  return null;
}

const isSpread = ({ kind }: SelectionNode) => kind === Kind.FRAGMENT_SPREAD;

/** How many fields stand below one another at most, fragments written out. Introspection has rules of its own. */
function depthOf(document: DocumentNode): number {
  const ofFragment = perFragment(document, ({ selectionSet }) => ofSet(selectionSet), 0);
  const ofSet = (set: SelectionSetNode): number => {
    let depth = 0;
    for (const node of set.selections) {
      if (node.kind === Kind.FRAGMENT_SPREAD) depth = Math.max(depth, ofFragment(node.name.value));
      else if (node.kind === Kind.INLINE_FRAGMENT) depth = Math.max(depth, ofSet(node.selectionSet));
      else if (!node.name.value.startsWith('__'))
        depth = Math.max(depth, 1 + (node.selectionSet ? ofSet(node.selectionSet) : 0));
    }
    return depth;
  };
  const depths = document.definitions.map((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION ? ofSet(definition.selectionSet) : 0,
  );
  return Math.max(0, ...depths);
}
