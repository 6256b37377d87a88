import { readFileSync } from 'node:fs';
import { ConfigError, invalidSetting } from '../config/config-error.ts';
import { readDocuments } from '../mcp/documents.ts';
import { createEndpoint } from '../mcp/endpoint.ts';
import { createMcpServer } from '../mcp/mcp-server.ts';
import { createTools } from '../mcp/tools.ts';
import { version } from '../runtime/version.ts';
import { print, readNumber, stopOnSignals } from './run-command.ts';

interface McpFlags {
  readonly url?: string;
  readonly schema?: string;
  readonly follow?: string;
  readonly port?: string;
  readonly host?: string;
  readonly allow?: string;
}

/** Serves the operations of `documents` as tools: over HTTP if a port is given, otherwise over stdio. */
export async function runMcp(documents: string, flags: McpFlags): Promise<void> {
  const { url: givenUrl = 'http://127.0.0.1:4000/graphql', host = '127.0.0.1' } = flags;
  const url = readUrl(givenUrl);
  const followMs = readNumber('--follow', flags.follow ?? '50', 3_600) * 1_000;
  const port = flags.port === undefined ? null : readNumber('--port', flags.port, 65_535);
  const sdl = flags.schema === undefined ? await readOwnSchema() : readFileSync(flags.schema, 'utf8');
  const { problems, ...toolset } = createTools(sdl, readDocuments(documents));
  // Standard error, because the protocol uses standard output.
  for (const problem of problems) process.stderr.write(`This operation is no tool. ${problem}\n`);
  if (toolset.tools.size === 0)
    throw new Error(
      `${documents} has no query or mutation that can be a tool. Name a folder of .graphql files.`,
    );
  const createServer = (authorization: string | null) =>
    createMcpServer({ ...toolset, followMs, version }, createEndpoint(url, authorization));
  if (port === null) {
    const { serveStdio } = await import('@modelcontextprotocol/server/stdio');
    const authorization = readAuthorization();
    serveStdio(() => createServer(authorization));
    return;
  }
  const { startHttpServer } = await import('../mcp/http-server.ts');
  const allowedHosts = flags.allow?.split(',').map((name) => name.trim()) ?? [];
  const server = await startHttpServer({ host, port, allowedHosts, createMcpServer: createServer });
  stopOnSignals(server.stop);
  print(`MCP  ${server.url}`);
}

/** The schema of this version, without the record types of a deployment. */
const readOwnSchema = async () => (await import('../app/schema/sdl.ts')).clientSdl();

function readUrl(given: string): URL {
  const url = URL.canParse(given) ? new URL(given) : null;
  if (url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '') return url;
  throw new ConfigError([invalidSetting('--url', null, 'an http or https URL without a user name')]);
}

/** The `authorization` of all calls over stdio. */
function readAuthorization(): string | null {
  const token = process.env.TRIBUTARY_TOKEN?.trim();
  if (!token) return null;
  if (/^[\x21-\x7e]+$/.test(token)) return `Bearer ${token}`;
  throw new ConfigError([invalidSetting('TRIBUTARY_TOKEN', null, 'a token, without spaces and line breaks')]);
}
