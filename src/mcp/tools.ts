import {
  buildSchema,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  TokenKind,
  validate,
} from 'graphql';
import type { DocumentOperation } from './documents.ts';
import { createInputSchema, type InputSchema } from './input-schema.ts';

export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  /** What a client may assume of the tool (MCP `ToolAnnotations`). */
  readonly annotations: ReturnType<typeof findToolHints>;
  /** The document that is sent to the server. */
  readonly text: string;
}

export interface Toolset {
  readonly tools: ReadonlyMap<string, Tool>;
  /** The subscription of `operationProgress` by `$id`, which reports the progress of an operation; null without one. */
  readonly progress: { readonly query: string; readonly operationName: string | undefined } | null;
  /** One message for each operation that was left out. */
  readonly problems: readonly string[];
}

/** Makes a tool of every named query and mutation that is valid against the schema (`sdl`). */
export function createTools(sdl: string, operations: readonly DocumentOperation[]): Toolset {
  const schema = buildSchema(sdl);
  const tools = new Map<string, Tool>();
  const problems: string[] = [];
  let progress: Toolset['progress'] = null;
  for (const { operation, document, text, source } of operations) {
    const name = operation.name?.value;
    const [error] = validate(schema, document);
    if (error) problems.push(`${source}: ${name}: ${error.message}`);
    else if (operation.operation === 'subscription') {
      const [root] = operation.selectionSet.selections;
      if (fieldName(root) === 'operationProgress') progress = { query: text, operationName: name };
    } else if (name === undefined) problems.push(`${source}: An operation has no name.`);
    else if (tools.has(name)) problems.push(`${source}: ${name}: Another operation has this name.`);
    else
      tools.set(name, {
        name,
        description: operation.description?.value.trim() || readComment(operation) || `${name}.`,
        inputSchema: createInputSchema(schema, operation),
        annotations: findToolHints(operation),
        text,
      });
  }
  return { tools, progress, problems };
}

/** The comment lines directly before an operation. */
function readComment({ loc }: OperationDefinitionNode): string {
  const lines: string[] = [];
  for (let token = loc?.startToken.prev; token?.kind === TokenKind.COMMENT; token = token.prev)
    lines.unshift(token.value.trim());
  return lines.join('\n').trim();
}

// Mutations that only add data, or start something that can be stopped.
const additivePattern = /^(create|add|make|start)[A-Z]/;
// Repeating them with the same arguments has no further effect: a change or delete names the version it is based on.
const idempotentPattern = /^(update|delete|remove|stop|start)[A-Z]/;

/** A mutation that is not known to be harmless is destructive. */
function findToolHints({ operation, selectionSet }: OperationDefinitionNode) {
  if (operation === 'query') return { readOnlyHint: true, destructiveHint: false, idempotentHint: true };
  const fields = selectionSet.selections.map(fieldName);
  return {
    readOnlyHint: false,
    destructiveHint: !fields.every((field) => additivePattern.test(field)),
    idempotentHint: fields.every((field) => idempotentPattern.test(field)),
  };
}

/** Returns an empty string for a fragment. */
const fieldName = (selection?: SelectionNode): string =>
  selection?.kind === Kind.FIELD ? selection.name.value : '';
