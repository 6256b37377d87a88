import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { onTestFinished } from 'vitest';
import { testToken } from './layer.ts';
import { startTributary } from './process.ts';

/** The revisions that the official client negotiates: with `initialize`, and without. */
export const revisions = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;
export type Revision = keyof typeof revisions;

export interface AgentOptions {
  /** The GraphQL endpoint. */
  readonly url: string;
  readonly documents?: string;
  readonly flags?: readonly string[];
  readonly revision?: Revision;
  readonly token?: string;
}

const exampleDocuments = 'examples/agent/operations';

const createClient = (revision: Revision = '2026-07-28') =>
  new Client({ name: 'test-agent', version: '1.0.0' }, { versionNegotiation: { mode: revisions[revision] } });

/** Connects the official client to `tributary mcp` over stdio. */
export async function connectByStdio(options: AgentOptions): Promise<Client> {
  const { url, documents = exampleDocuments, flags = [], token = testToken } = options;
  const client = createClient(options.revision);
  onTestFinished(() => client.close());
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: ['dist/main.js', 'mcp', documents, '--url', url, ...flags],
      env: { TRIBUTARY_TOKEN: token },
    }),
  );
  return client;
}

/** Starts `tributary mcp` over HTTP. The process has a token in its environment, which is to have no effect. */
export async function startMcp({ url, documents = exampleDocuments, flags = [] }: AgentOptions) {
  const args = ['mcp', documents, '--url', url, '--port', '0', ...flags];
  const running = startTributary(args, { TRIBUTARY_TOKEN: 'of-the-process' });
  const mcpUrl = /MCP +(\S+)/.exec(await running.printed(/MCP .*\n/))?.[1] ?? '';
  return { running, url: mcpUrl };
}

/** Connects the official client to `tributary mcp` over HTTP. */
export async function connectByHttp(options: AgentOptions): Promise<Client> {
  const { url } = await startMcp(options);
  const client = createClient(options.revision);
  onTestFinished(() => client.close());
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), {
      requestInit: { headers: { authorization: `Bearer ${options.token ?? testToken}` } },
    }),
  );
  return client;
}

/** What a tool answered, from its text. */
export function answerOf(result: { content?: unknown }) {
  const [content] = (result.content ?? []) as { text: string }[];
  return JSON.parse(content?.text ?? '');
}
