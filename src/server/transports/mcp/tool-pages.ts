import { createHash } from 'node:crypto';
import type { JsonSchema } from './input-schema.ts';
import type { ToolHints } from './tool-hints.ts';

/** A tool as `tools/list` describes it. */
export interface ListedTool {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
  readonly annotations: ToolHints;
}

/** A page of `tools/list`. */
export interface ToolPage {
  readonly tools: readonly ListedTool[];
  /** Undefined on the last page. */
  readonly nextCursor: string | undefined;
}

/** Returns the first page without a cursor; null for a cursor that is none of these tools. */
export type FindToolPage = (cursor: string | undefined) => ToolPage | null;

/**
 * Characters of JSON per page. Many clients read the first page only, so the tools of most manifests are to be on one
 * (docs/decisions/0041-agents.md).
 */
const maxPageCharacters = 64 * 1024;

/**
 * Splits tools into pages. A cursor is a digest of all tools and the number of the page: equal on replicas with the same tools,
 * and unknown once the tools have changed, so that no client joins pages of two lists.
 */
export function createToolPages(
  tools: readonly ListedTool[],
  maxCharacters = maxPageCharacters,
): FindToolPage {
  const texts = tools.map((tool) => JSON.stringify(tool));
  const digest = createHash('sha256').update(texts.join('\n')).digest('base64url');
  const cursorOf = (page: number) =>
    createHash('sha256').update(`tools ${digest} ${page}`).digest('base64url');
  const pages: ListedTool[][] = [[]];
  let characters = 0;
  tools.forEach((tool, at) => {
    const length = texts[at]?.length ?? 0;
    if (characters > 0 && characters + length > maxCharacters) {
      pages.push([]);
      characters = 0;
    }
    pages.at(-1)?.push(tool);
    characters += length;
  });
  const byCursor = new Map<string | undefined, ToolPage>(
    pages.map((page, at) => [
      at === 0 ? undefined : cursorOf(at),
      { tools: page, nextCursor: at + 1 < pages.length ? cursorOf(at + 1) : undefined },
    ]),
  );
  return (cursor) => byCursor.get(cursor) ?? null;
}
