/**
 * Returns why a name cannot be one segment of an upstream path, as the end of a sentence that begins with the name of the
 * argument; null for a valid name. A valid name still has to be percent-encoded, which cannot fail.
 */
export function findSegmentFault(name: string): string | null {
  if (name === '') return 'must not be empty.';
  // Removed when the URL is resolved, encoded or not.
  if (name === '.' || name === '..') return 'must not be a dot segment.';
  if (/[\p{Control}/\\]/u.test(name)) return 'must not hold a slash, a backslash or a control character.';
  // `encodeURIComponent` throws on a lone surrogate.
  return /\p{Surrogate}/u.test(name) ? 'must be well-formed Unicode.' : null;
}

const dotSegment = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=[/\\;]|%2f|%5c|$)/i;

/** Whether a path would not stay below the address that it is appended to: as `@host`, or with dot segments. */
export const leavesBase = (path: string): boolean =>
  !path.startsWith('/') || dotSegment.test(path.replace(/[?#].*$/s, ''));

/** A text without its percent-encoding; as it is where that is malformed. */
export function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
