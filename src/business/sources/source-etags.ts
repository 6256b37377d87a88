/*
 * Each set of a record has an entity tag of its own. The graph shows one: that of the type's own set alone where nothing of
 * another source is selected beside it, else all of them in one tag, with its form.
 */

/** The entity tags of a record by its sources; null for a source that has no row of it. */
export interface EtagParts {
  readonly main: string | null;
  readonly sources: Readonly<Record<string, string | null>>;
}

const combinedPattern = /^W\/"sources\.([\w-]{1,1000})"$/;

export const combineEtags = (parts: EtagParts): string =>
  `W/"sources.${Buffer.from(JSON.stringify([parts.main, parts.sources])).toString('base64url')}"`;

/** The parts of an `ifMatch`; one that is not combined is of the type's own set, and `*` of any version of each. */
export function splitEtag(ifMatch: string): EtagParts {
  const [, text] = combinedPattern.exec(ifMatch) ?? [];
  const parsed = text === undefined ? null : parseParts(text);
  return parsed ?? { main: ifMatch, sources: {} };
}

function parseParts(text: string): EtagParts | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (!Array.isArray(parsed)) return null;
    const [main, sources] = parsed as unknown[];
    if (!isTag(main) || typeof sources !== 'object' || sources === null) return null;
    return Object.values(sources).every(isTag) ? { main, sources: sources as EtagParts['sources'] } : null;
  } catch {
    return null;
  }
}

const isTag = (value: unknown): value is string | null => value === null || typeof value === 'string';
