import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  Kind,
  type OperationDefinitionNode,
  parse,
  TokenKind,
} from 'graphql';
import type { Documents } from '../../guard/documents.ts';
import type { Guard } from '../../guard/guard.ts';
import { explainRejection } from '../../rejection.ts';
import { createInputSchema, type InputSchema } from './input-schema.ts';
import { findToolHints, type ToolHints } from './tool-hints.ts';

/** An operation of a trusted document, as a tool. */
export interface OperationTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: InputSchema;
  readonly annotations: ToolHints;
  /** The text of the document. */
  readonly text: string;
  /** The scopes that every call of it requires. */
  readonly scopes: readonly string[];
  /** Where the response has the handle of an instance operation that the tool starts; null for other tools. */
  readonly handlePath: readonly string[] | null;
}

export interface ToolOptions {
  readonly schema: GraphQLSchema;
  readonly documents: Pick<Documents, 'getOrValidate'>;
  readonly scopesOf: Guard['scopesOf'];
  /** Texts of the trusted documents by id. */
  readonly manifest: Readonly<Record<string, string>>;
  /** Names that are taken. */
  readonly reserved: readonly string[];
}

/** An operation that is no tool. */
export interface LeftOutOperation {
  readonly documentId: string;
  /** Undefined where the operation has no name, or the document cannot be read. */
  readonly operation: string | undefined;
  readonly reason: string;
}

export interface CreatedTools {
  readonly tools: ReadonlyMap<string, OperationTool>;
  readonly leftOut: readonly LeftOutOperation[];
}

// MCP limits names of tools to 128 characters of these; a name of GraphQL has no others.
const maxNameLength = 128;

/**
 * Makes a tool of every query and mutation of the manifest. What can be none is left out: other clients may still use the
 * document.
 */
export async function createTools(options: ToolOptions): Promise<CreatedTools> {
  const tools = new Map<string, OperationTool>();
  const leftOut: LeftOutOperation[] = [];
  const leaveOut = (documentId: string, operation: string | undefined, reason: string) =>
    leftOut.push({ documentId, operation, reason });
  for (const [id, text] of Object.entries(options.manifest)) {
    let name: string | undefined;
    try {
      for (const operation of listOperations(text)) {
        name = operation.name?.value;
        if (operation.operation === 'subscription') continue;
        if (name === undefined) leaveOut(id, name, 'It has no name.');
        else if (name.length > maxNameLength)
          leaveOut(id, name, `Its name has more than ${maxNameLength} characters.`);
        else if (tools.has(name) || options.reserved.includes(name))
          leaveOut(id, name, 'Another tool has its name.');
        else tools.set(name, await createTool(options, text, operation, name));
      }
    } catch (error) {
      leaveOut(id, name, explainRejection(error));
    }
  }
  return { tools, leftOut };
}

const listOperations = (text: string): readonly OperationDefinitionNode[] =>
  parse(text).definitions.filter((definition) => definition.kind === Kind.OPERATION_DEFINITION);

async function createTool(
  { schema, documents, scopesOf }: ToolOptions,
  text: string,
  parsed: OperationDefinitionNode,
  name: string,
): Promise<OperationTool> {
  const { document, operation } = await documents.getOrValidate(text, name, 'mcp');
  return {
    name,
    description:
      parsed.description?.value.trim() || readComment(parsed) || `The ${parsed.operation} ${name}.`,
    inputSchema: createInputSchema(schema, document, operation),
    annotations: findToolHints(document, operation),
    text,
    scopes: scopesOf(document, operation),
    handlePath: operation.operation === 'mutation' ? findHandlePath(schema, operation) : null,
  };
}

/** The comment lines directly before an operation; null if there are none. */
function readComment({ loc }: OperationDefinitionNode): string | null {
  const lines: string[] = [];
  for (let token = loc?.startToken.prev; token?.kind === TokenKind.COMMENT; token = token.prev)
    lines.unshift(token.value.trim());
  return lines.join('\n').trim() || null;
}

/** The response keys of `operation { id }` below the first mutation that starts an instance operation. */
function findHandlePath(schema: GraphQLSchema, operation: OperationDefinitionNode): readonly string[] | null {
  const mutations = schema.getMutationType()?.getFields() ?? {};
  for (const root of listFields(operation)) {
    const payload = getNamedType(mutations[root.name.value]?.type) as GraphQLObjectType | undefined;
    for (const field of listFields(root)) {
      const type = getNamedType(payload?.getFields()[field.name.value]?.type);
      const id = type?.name === 'InstanceOperation' && listFields(field).find(isId);
      if (id) return [root, field, id].map(responseKey);
    }
  }
  return null;
}

const isId = ({ name }: FieldNode) => name.value === 'id';
const responseKey = ({ alias, name }: FieldNode) => (alias ?? name).value;
const listFields = ({ selectionSet }: OperationDefinitionNode | FieldNode): readonly FieldNode[] =>
  selectionSet?.selections.filter((selection) => selection.kind === Kind.FIELD) ?? [];
