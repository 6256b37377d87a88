import { type ASTNode, type DocumentNode, type GraphQLError, type Location, visit } from 'graphql';

// Compiled code is shared by documents that differ in their literals, and holds the locations of its errors. So the nodes
// that errors can name are numbered in the compiled document, in document order, and each document looks its own up.

/** Gives every field, and every value of an argument, its number as the column of its location. */
export function numberNodes(document: DocumentNode): DocumentNode {
  for (const [number, node] of locatableNodes(document).entries()) {
    const startToken = { line: 1, column: number };
    Object.assign(node, { loc: { startToken } as Location });
  }
  return document;
}

/** Names the nodes of `original` in errors of compiled code. The document is asked for at the first error. */
export function errorLocations(original: () => DocumentNode): (error: GraphQLError) => void {
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
    // What is declared there are other names and no values in the compiled document.
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
