import { type DocumentNode, Kind, type SelectionSetNode, visit } from 'graphql';
import { perFragment } from './written-out.ts';

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
  visit(document, {
    Field: ({ alias }) => {
      if (alias) aliases += 1;
    },
    Directive: () => {
      directives += 1;
    },
  });
  const { maxDepth, maxAliases, maxDirectives } = limits;
  if (aliases > maxAliases) return `The document has ${aliases} aliases; ${maxAliases} are taken at most.`;
  if (directives > maxDirectives)
    return `The document has ${directives} directives; ${maxDirectives} are taken at most.`;
  const depth = depthOf(document);
  if (depth > maxDepth) return `The document is ${depth} fields deep; ${maxDepth} are taken at most.`;
  return null;
}

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
