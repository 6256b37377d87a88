import { McpServer, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import type { Endpoint, GraphqlRequest, GraphqlResponse } from './endpoint.ts';
import type { Tool, Toolset } from './tools.ts';

export interface McpServerOptions extends Pick<Toolset, 'tools' | 'progress'> {
  /** The longest time that a call follows the operation it has started, in milliseconds. */
  readonly followMs: number;
  readonly version: string;
}

/** The longest answer to a query: about 25,000 tokens. */
const maxCharacters = 100_000;

const instructions =
  'Tools over business records, instances and service health. Money and quantities are strings that keep every digit. Lists are paged: pass `endCursor` as `after`. A change names the version it is based on (`etag`). `userErrors` in an answer say why nothing was changed.';

/** Creates the server of one client, whose calls go to `endpoint`. */
export function createMcpServer(
  { tools, progress: subscription, followMs, version }: McpServerOptions,
  endpoint: Endpoint,
): McpServer {
  const mcp = new McpServer(
    { name: 'tributary', title: 'Tributary', version },
    { capabilities: { tools: {} }, instructions },
  );
  const listed = [...tools.values()].map(({ text: _, ...tool }) => tool);
  mcp.server.setRequestHandler('tools/list', () => ({ tools: listed as (typeof listed & never)[] }));
  mcp.server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const { name, arguments: args = {}, _meta: { progressToken } = {} } = params;
    const tool = tools.get(name);
    if (!tool)
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${JSON.stringify(name.slice(0, 128))}.`,
      );
    const unknown = findUnknownArgument(tool, args);
    if (unknown !== null) return createErrorResult(unknown);
    const isQuery = tool.annotations.readOnlyHint;
    const answer = await endpoint.execute(
      { query: tool.text, operationName: name, variables: args },
      // A client that disconnects never cancels a change.
      isQuery ? mcpReq.signal : undefined,
    );
    const id = isQuery ? undefined : findOperationId(answer);
    if (subscription && progressToken !== undefined && id !== undefined) {
      const signal = AbortSignal.any([mcpReq.signal, AbortSignal.timeout(followMs)]);
      const request = { ...subscription, variables: { id } };
      const progress = await follow(endpoint, request, signal, (report) =>
        mcpReq.notify({ method: 'notifications/progress', params: { progressToken, ...report } }),
      );
      return createResult({ ...answer, progress });
    }
    const { length } = JSON.stringify(answer);
    // The answer to a mutation is always returned: it says what was changed.
    return isQuery && length > maxCharacters ? createErrorResult(tooLong(length)) : createResult(answer);
  });
  return mcp;
}

/** Reports the progress of an operation until it has finished or `signal` is aborted. Returns its last state. */
async function follow(
  endpoint: Endpoint,
  request: GraphqlRequest,
  signal: AbortSignal,
  report: (report: { progress: number; total: number; message: string }) => Promise<void>,
) {
  let last: GraphqlResponse & { readonly operation?: object } = {};
  let reported = -1;
  try {
    for await (const { data, errors } of endpoint.subscribe(request, signal)) {
      const [operation] = Object.values(data ?? {}) as ({ state: string; percentComplete?: number } | null)[];
      last = { ...last, ...(operation && { operation }), ...(errors && { errors }) };
      if (!operation) break;
      const progress = operation.state === 'SUCCEEDED' ? 100 : (operation.percentComplete ?? 0);
      // MCP requires that progress increases.
      if (progress > reported) await report({ progress, total: 100, message: operation.state });
      reported = Math.max(progress, reported);
    }
  } catch {
    // The time limit has passed or the stream has ended early. The operation continues.
  }
  return last;
}

/** Returns an error message for an unknown argument. GraphQL ignores unknown variables, so a typo would go unnoticed. */
function findUnknownArgument({ inputSchema }: Tool, args: object): string | null {
  const properties = inputSchema.properties as object;
  const unknown = Object.keys(args).find((name) => !Object.hasOwn(properties, name));
  if (unknown === undefined) return null;
  const known = Object.keys(properties).join(', ') || 'none';
  return `The tool has no argument ${JSON.stringify(unknown.slice(0, 50))}. It takes ${known}.`;
}

/** Returns the `operation { id }` of a mutation that has started an operation. */
const findOperationId = ({ data }: GraphqlResponse): string | undefined =>
  (Object.values(data ?? {}) as ({ operation?: { id?: string } | null } | null)[])
    .map((payload) => payload?.operation?.id)
    .find((id) => typeof id === 'string');

/** Returns the answer as text and as structured content. With GraphQL errors it is an error, even with partial data. */
const createResult = (answer: GraphqlResponse & { readonly progress?: unknown }) => ({
  content: [{ type: 'text' as const, text: JSON.stringify(answer) }],
  structuredContent: { ...answer },
  ...(answer.errors && { isError: true }),
});

const createErrorResult = (message: string) => createResult({ errors: [{ message }] });

const tooLong = (length: number) =>
  `The answer has ${length} characters; the limit is ${maxCharacters}. Call again for less, with a smaller \`first\` or a narrower filter.`;
