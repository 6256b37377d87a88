import type { DocumentNode, OperationDefinitionNode } from 'graphql';
import { rootFieldNames } from '../../guard/root-fields.ts';

/** What a client may assume of a tool (MCP `ToolAnnotations`). */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
}

/** Hints of tools that only read. */
export const readingHints: ToolHints = { readOnlyHint: true, destructiveHint: false, idempotentHint: true };

// Mutations that only add something, or begin what can be ended.
const additive = /^(create|add|make|start)[A-Z]/;
// A second one with the same arguments changes nothing more: a change or delete names the version it is based on.
const idempotent = /^(update|delete|remove|stop|start)[A-Z]/;

/** A mutation that is not known to be harmless is destructive. */
export function findToolHints(document: DocumentNode, operation: OperationDefinitionNode): ToolHints {
  if (operation.operation === 'query') return readingHints;
  const fields = [...rootFieldNames(document, operation)];
  return {
    readOnlyHint: false,
    destructiveHint: !fields.every((field) => additive.test(field)),
    idempotentHint: fields.every((field) => idempotent.test(field)),
  };
}
