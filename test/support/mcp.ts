import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { testToken } from './layer.ts';

/** The revisions that the official client negotiates: with `initialize`, and without. */
export const revisions = { '2025-11-25': 'legacy', '2026-07-28': { pin: '2026-07-28' } } as const;
export type Revision = keyof typeof revisions;

/** Connects the official client, over real HTTP. */
export async function connectAgent(
  url: string,
  { revision = '2026-07-28', token = testToken }: { revision?: Revision; token?: string } = {},
): Promise<Client> {
  const client = new Client(
    { name: 'test-agent', version: '1.0.0' },
    { versionNegotiation: { mode: revisions[revision] } },
  );
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${token}` } },
    }),
  );
  return client;
}

/** A manifest of these documents in a file of its own, by any ids. */
export function writeManifest(documents: readonly string[]): { path: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-manifest-'));
  const path = join(folder, 'manifest.json');
  writeFileSync(
    path,
    JSON.stringify(Object.fromEntries(documents.map((text, at) => [`sha256:${at}`, text]))),
  );
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

/** What a tool answered, from its text. */
export function answerOf(result: { content?: unknown }) {
  const [content] = (result.content ?? []) as { text: string }[];
  return JSON.parse(content?.text ?? '');
}
