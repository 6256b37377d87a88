/**
 * Returns why a name cannot be one segment of an upstream path, as the predicate of a sentence whose subject is the
 * argument; null if it is valid. Percent-encoding a valid name cannot fail.
 */
export function findSegmentFault(name: string): string | null {
  if (name === '') return 'must not be empty.';
  // Resolving a URL removes dot segments, encoded or not.
  if (name === '.' || name === '..') return 'must not be a dot segment.';
  if (/[\p{Control}/\\]/u.test(name)) return 'must not hold a slash, a backslash or a control character.';
  // `encodeURIComponent` throws on a lone surrogate.
  return /\p{Surrogate}/u.test(name) ? 'must be well-formed Unicode.' : null;
}

const dotSegment = /(?:[/\\]|%2f|%5c)(?:\.|%2e){1,2}(?=[/\\;]|%2f|%5c|$)/i;

/** Whether a path would leave the base address that it is appended to, such as `@host` or a path with dot segments. */
export const leavesBase = (path: string): boolean =>
  !path.startsWith('/') || dotSegment.test(path.replace(/[?#].*$/s, ''));

/** Decodes percent-encoding; returns the text unchanged if it is malformed. */
export function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
