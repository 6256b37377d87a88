/** A list of an answer that was shortened. */
export interface ShortenedList {
  /** Response keys and indexes, joined by dots. */
  readonly path: string;
  readonly shown: number;
  readonly of: number;
}

export interface SizedAnswer {
  readonly text: string;
  readonly value: Readonly<Record<string, unknown>>;
  /** Null if nothing was left out. */
  readonly cut: { readonly characters: number; readonly lists: readonly ShortenedList[] } | null;
}

// Names of shortened lists; further ones are many alike.
const maxListsNamed = 20;
// Leaves room for the note about what was left out.
const noteCharacters = 5_000;

/**
 * Serializes an answer. Above `maxCharacters`, all lists are cut to one length, so that the rest fits; without lists to cut,
 * `data` is left out.
 */
export function sizeAnswer(answer: Readonly<Record<string, unknown>>, maxCharacters: number): SizedAnswer {
  const text = JSON.stringify(answer);
  if (text.length <= maxCharacters) return { text, value: answer, cut: null };
  const room = maxCharacters - noteCharacters;
  const longest = longestList(answer);
  // The part of the whole that fits, then less: entries differ in size.
  const first = Math.min(longest, Math.max(1, Math.floor((longest * room) / text.length)));
  for (let length = first; length > 0; length = Math.floor(length * 0.7)) {
    const lists: ShortenedList[] = [];
    const value = shorten(answer, length, '', lists) as SizedAnswer['value'];
    const shortened = JSON.stringify(value);
    if (shortened.length <= room)
      return {
        text: shortened,
        value,
        cut: { characters: text.length, lists: lists.slice(0, maxListsNamed) },
      };
  }
  const { data: _data, ...rest } = answer;
  const kept = JSON.stringify(rest);
  const value = kept.length <= room ? rest : {};
  return { text: JSON.stringify(value), value, cut: { characters: text.length, lists: [] } };
}

function longestList(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const own = Array.isArray(value) ? value.length : 0;
  return Object.values(value).reduce((most: number, inner) => Math.max(most, longestList(inner)), own);
}

function shorten(value: unknown, length: number, path: string, lists: ShortenedList[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const below = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`);
  if (Array.isArray(value)) {
    if (value.length > length) lists.push({ path, shown: length, of: value.length });
    return value.slice(0, length).map((inner, at) => shorten(inner, length, below(at), lists));
  }
  const entries = Object.entries(value).map(([key, inner]) => [
    key,
    shorten(inner, length, below(key), lists),
  ]);
  const isCutConnection = Object.values(value).some((inner) => Array.isArray(inner) && inner.length > length);
  // The cursor of a page's end would skip the entries that were left out.
  return Object.fromEntries(isCutConnection ? entries.filter(([key]) => key !== 'pageInfo') : entries);
}
