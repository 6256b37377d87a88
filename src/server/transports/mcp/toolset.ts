import type { GraphQLSchema } from 'graphql';
import type { Logger } from 'pino';
import { getIntrospectedSchema } from '../../../graph/introspection.ts';
import type { Documents } from '../../guard/documents.ts';
import type { Guard } from '../../guard/guard.ts';
import { type CallTool, createToolCalls, reservedToolNames, type ToolCallOptions } from './call-tool.ts';
import { runQueryTool, searchSchemaTool } from './mcp-server.ts';
import { createSchemaSearch } from './schema-search.ts';
import { createToolPages, type FindToolPage } from './tool-pages.ts';
import { createTools, type OperationTool } from './tools.ts';

/** What the settings say of tools. */
export interface ToolSettings {
  /** Texts of the trusted documents by id. */
  readonly manifest: Readonly<Record<string, string>>;
  /** Whether callers may send queries of their own. */
  readonly runsQueries: boolean;
}

/** The tools of one manifest. */
export interface Toolset {
  readonly tools: ReadonlyMap<string, OperationTool>;
  readonly findToolPage: FindToolPage;
  readonly callTool: CallTool;
}

export interface ToolsetOptions extends Pick<ToolCallOptions, 'responder' | 'follower'> {
  readonly guard: Guard;
  readonly schema: GraphQLSchema;
  readonly documents: Documents;
  readonly settings: ToolSettings;
  readonly searchesSchema: boolean;
  readonly log: Logger;
}

export async function createToolset(options: ToolsetOptions): Promise<Toolset> {
  const { schema, documents, guard, log } = options;
  const { manifest, runsQueries } = options.settings;
  const searchSchema = options.searchesSchema ? createSchemaSearch(getIntrospectedSchema(schema)) : null;
  const { tools, leftOut } = await createTools({
    schema,
    documents,
    scopesOf: guard.scopesOf,
    manifest,
    reserved: reservedToolNames,
  });
  for (const document of leftOut) log.warn(document, 'A trusted document is no tool (MCP).');
  return {
    tools,
    findToolPage: createToolPages([
      ...[...tools.values()].map(({ text: _text, scopes: _scopes, handlePath: _path, ...tool }) => tool),
      ...(searchSchema ? [searchSchemaTool] : []),
      ...(runsQueries ? [runQueryTool] : []),
    ]),
    callTool: createToolCalls({ ...options, tools, searchSchema, runsQueries }),
  };
}
