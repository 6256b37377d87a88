import { type ASTNode, type DocumentNode, type GraphQLError, type Location, visit } from 'graphql';

// Compiled code is shared by documents that differ in literals, so the locations in its errors cannot be
// those of a document. Instead, nodes are numbered in document order, and each document looks them up by
// number.

/** Numbers every field and every argument value; the number is stored as the column of its location. */
export function numberNodes(document: DocumentNode): DocumentNode {
  for (const [number, node] of locatableNodes(document).entries()) {
    const startToken = { line: 1, column: number };
    Object.assign(node, { loc: { startToken } as Location });
  }
  return document;
}

/**
 * Returns a function that adds the nodes of `original` to errors of compiled code. `original` is called at
 * the first error.
 */
export function createNodeLookup(original: () => DocumentNode): (error: GraphQLError) => void {
  let known: readonly ASTNode[] | undefined;
  return (error) => {
    if (error.nodes) return;
    known ??= locatableNodes(original());
    const nodes = (error.locations ?? []).map(({ column }) => known?.[column]);
    Object.defineProperty(error, 'nodes', { value: nodes });
  };
}

function locatableNodes(document: DocumentNode): ASTNode[] {
  const nodes: ASTNode[] = [];
  visit(document, {
    // Variable definitions differ in the compiled document.
    VariableDefinition: () => false,
    Field(node) {
      nodes.push(node);
    },
    Argument({ value }) {
      nodes.push(value);
    },
  });
  return nodes;
}
