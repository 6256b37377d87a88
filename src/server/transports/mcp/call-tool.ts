import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ExecutionResult, GraphQLError } from 'graphql';
import type { Responder } from '../../execution/responder.ts';
import type { CarriedOperations, GraphqlPayload, Guard } from '../../guard/guard.ts';
import type { AdmittedCaller } from '../../load/admission.ts';
import { startQueryDeadline } from '../query-deadline.ts';
import type { OperationFollower, ProgressReport } from './operation-progress.ts';
import type { SchemaSearchResult, SearchSchema } from './schema-search.ts';
import { createErrorResult, createMutationResult, createToolResult, type ToolResult } from './tool-result.ts';
import type { OperationTool } from './tools.ts';

/** One HTTP request to `/mcp` whose caller is admitted. */
export interface McpExchange {
  readonly caller: AdmittedCaller;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly timeoutMs: number;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** The call that is running, which a client that disconnects does not end if it changes something. */
  running?: Promise<unknown>;
}

export interface ToolCall {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  /** Null if the client wants no progress. */
  readonly report: ((progress: ProgressReport) => Promise<void>) | null;
}

export interface ToolCallOptions {
  readonly tools: ReadonlyMap<string, OperationTool>;
  readonly guard: Pick<Guard, 'prepare'>;
  readonly responder: Pick<Responder, 'execute'>;
  readonly follower: OperationFollower;
  /** Null if the schema is not searched. */
  readonly searchSchema: SearchSchema | null;
  readonly runsQueries: boolean;
}

/** Calls a tool. Returns null if there is none of that name. */
export type CallTool = (call: ToolCall, exchange: McpExchange) => Promise<ToolResult | null>;

export const searchSchemaName = 'search_schema';
export const runQueryName = 'run_query';
/** Names that no operation can have as a tool. */
export const reservedToolNames: readonly string[] = [searchSchemaName, runQueryName];
const maxMatches = 50;
const noQuery = '`query` must be the text of a GraphQL query.';

export function createToolCalls(options: ToolCallOptions): CallTool {
  const { tools, guard, responder, follower, searchSchema, runsQueries } = options;

  const run = async (
    payload: GraphqlPayload,
    carries: CarriedOperations,
    { caller, request, reply, timeoutMs }: McpExchange,
  ): Promise<ExecutionResult | { readonly errors: readonly GraphQLError[] }> => {
    const prepared = await guard.prepare(payload, caller, carries);
    if ('errors' in prepared) return { errors: prepared.errors };
    return responder.execute(prepared, startQueryDeadline(prepared, request, reply, timeoutMs));
  };

  const callOperation = async (
    { text, name, inputSchema, annotations, handlePath }: OperationTool,
    { args, report }: ToolCall,
    exchange: McpExchange,
  ): Promise<ToolResult> => {
    const unknown = unknownArguments(args, inputSchema.properties);
    if (unknown) return createErrorResult(unknown, 'BAD_USER_INPUT', exchange.caller.requestId);
    const payload = { query: text, operationName: name, variables: args };
    const result = await run(payload, 'queries', exchange);
    if (annotations.readOnlyHint) return createToolResult({ ...result });
    const handle = handlePath && readPath('data' in result ? result.data : null, handlePath);
    if (report === null || typeof handle !== 'string') return createMutationResult({ ...result });
    const followed = await follower.follow(handle, exchange.caller, exchange.signal, report);
    const { errors, ...answer } = result;
    return createMutationResult({ ...answer, progress: followed ?? undefined, errors });
  };

  const runQuery = async (args: ToolCall['args'], exchange: McpExchange): Promise<ToolResult> => {
    const { query, variables, operationName } = args;
    if (typeof query !== 'string' || query.trim() === '')
      return createErrorResult(noQuery, 'BAD_USER_INPUT', exchange.caller.requestId);
    return createToolResult({ ...(await run({ query, variables, operationName }, 'reads', exchange)) });
  };

  return async (call, exchange) => {
    const { name, args } = call;
    if (name === searchSchemaName && searchSchema) return search(searchSchema, args, exchange);
    if (name === runQueryName && runsQueries) return runQuery(args, exchange);
    const tool = tools.get(name);
    return tool ? callOperation(tool, call, exchange) : null;
  };
}

function search(searchSchema: SearchSchema, args: ToolCall['args'], { caller }: McpExchange): ToolResult {
  const { words, first = 20 } = args;
  const isValid =
    typeof words === 'string' && words.length <= 200 && Number.isInteger(first) && (first as number) >= 1;
  if (!isValid)
    return createErrorResult(
      '`words` must be a text of at most 200 characters, and `first` a positive whole number.',
      'BAD_USER_INPUT',
      caller.requestId,
    );
  const found: SchemaSearchResult = searchSchema(words, Math.min(first as number, maxMatches));
  return createToolResult({ ...found });
}

/** GraphQL ignores unknown variables: a misspelled one would be a wrong answer. */
function unknownArguments(args: ToolCall['args'], properties: unknown): string | null {
  const unknown = Object.keys(args).filter((name) => !Object.hasOwn(properties as object, name));
  if (unknown.length === 0) return null;
  const known = Object.keys(properties as object);
  return `The tool has no argument ${unknown
    .slice(0, 5)
    .map((name) => JSON.stringify(name.slice(0, 50)))
    .join(', ')}. It takes ${known.length > 0 ? known.join(', ') : 'none'}.`;
}

const readPath = (data: unknown, path: readonly string[]): unknown =>
  path.reduce(
    (value, key) =>
      typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined,
    data,
  );
