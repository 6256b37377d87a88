import { specTypeSchemas } from '@modelcontextprotocol/server';

// The SDK reports these as internal errors, with the output of its validator.
const requestSchemas = new Map(
  Object.entries({
    initialize: specTypeSchemas.InitializeRequest,
    ping: specTypeSchemas.PingRequest,
    'server/discover': specTypeSchemas.DiscoverRequest,
    'subscriptions/listen': specTypeSchemas.SubscriptionsListenRequest,
    'tools/list': specTypeSchemas.ListToolsRequest,
    'tools/call': specTypeSchemas.CallToolRequest,
  }),
);

const invalidParams = -32602;
const maxPathLength = 100;

interface JsonRpcError {
  readonly jsonrpc: '2.0';
  readonly id: string | number;
  readonly error: { readonly code: number; readonly message: string };
}

/** Returns the response to a request whose parameters its method does not have; null to every other message. */
export async function rejectInvalidParams(body: unknown): Promise<JsonRpcError | null> {
  const { jsonrpc, id, method } = body as { jsonrpc?: unknown; id?: unknown; method?: unknown };
  const schema = typeof method === 'string' ? requestSchemas.get(method) : undefined;
  if (!schema || jsonrpc !== '2.0' || (typeof id !== 'string' && typeof id !== 'number')) return null;
  const { issues: [issue] = [] } = await schema['~standard'].validate(body);
  if (!issue) return null;
  const path = (issue.path ?? []).map((key) => String(typeof key === 'object' ? key.key : key)).join('.');
  const message = `\`${path.slice(0, maxPathLength)}\`: ${issue.message.replace(/^Invalid input: /, '')}.`;
  return { jsonrpc: '2.0', id, error: { code: invalidParams, message } };
}

/**
 * Whether the id or the progress token of a message, which a response repeats, is a number that a double cannot represent.
 * `text` is the message as it was sent.
 */
export function hasLongId(text: string): boolean {
  const { id, params } = JSON.parse(text) as {
    id?: unknown;
    params?: { _meta?: { progressToken?: unknown } | null } | null;
  };
  return [id, params?._meta?.progressToken].some(
    (value) => typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER,
  );
}
