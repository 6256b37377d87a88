import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { version } from '../../../runtime/version.ts';
import { type CallTool, type McpExchange, runQueryName, searchSchemaName } from './call-tool.ts';
import { readingHints } from './tool-hints.ts';
import type { FindToolPage, ListedTool } from './tool-pages.ts';

export const searchSchemaTool: ListedTool = {
  name: searchSchemaName,
  description:
    'Finds types and fields of the GraphQL schema whose names or descriptions have all of the words. With the exact name of one type, also returns its whole definition.',
  inputSchema: {
    type: 'object',
    properties: {
      words: {
        type: 'string',
        maxLength: 200,
        description: 'Words, such as `sales order status`, or a type.',
      },
      first: { type: 'integer', minimum: 1, maximum: 50, default: 20, description: 'The most matches.' },
    },
    required: ['words'],
    additionalProperties: false,
  },
  annotations: readingHints,
};

export const runQueryTool: ListedTool = {
  name: runQueryName,
  description:
    'Runs a GraphQL query that is validated first. It only reads: mutations and subscriptions are rejected. Lists take `first` and `after`.',
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'The GraphQL document.' },
      variables: { type: ['object', 'null'], description: 'Its variables by name.' },
      operationName: { type: ['string', 'null'], description: 'Which operation to run, if it has several.' },
    },
    required: ['query'],
    additionalProperties: false,
  },
  annotations: readingHints,
};

const instructions =
  'Tools over business records, instances and service health. Money and quantities are strings that keep every digit. Lists are paged: pass `endCursor` as `after`. A change names the version it is based on (`etag`). `userErrors` in an answer say why nothing was changed.';

export interface McpServerOptions {
  readonly findToolPage: FindToolPage;
  readonly callTool: CallTool;
  /** Whether the client can be told that the tools have changed. */
  readonly listChanged: boolean;
}

const unknownCursor =
  'The cursor is none of this list of tools, which may have changed. List the tools from the start, without a cursor.';

/** Creates the server for one exchange; it holds nothing but references. */
export function createMcpServer(
  { findToolPage, callTool, listChanged }: McpServerOptions,
  exchange: McpExchange,
): McpServer {
  const mcp = new McpServer(
    { name: 'tributary', title: 'Tributary', version },
    { capabilities: { tools: { listChanged } }, instructions },
  );
  mcp.server.setRequestHandler('tools/list', ({ params }) => {
    const page = findToolPage(params?.cursor);
    if (page) return { ...page, tools: page.tools as ListedTool[] & never };
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, unknownCursor);
  });
  mcp.server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: args = {}, _meta } = params;
    const progressToken = _meta?.progressToken;
    const report =
      progressToken === undefined
        ? null
        : (progress: object) =>
            mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...progress } });
    const running = callTool({ name, args, report }, exchange);
    exchange.running = running;
    const result = await running;
    if (result) return result;
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      `There is no tool ${JSON.stringify(name.slice(0, 128))}.`,
    );
  });
  return mcp;
}
