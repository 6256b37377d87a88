/**
 * What keeps a name from being one segment of an upstream path, as the end of a sentence that begins with
 * whatever gave the name; null when it can be one. Encoding is still needed, and cannot fail then.
 */
export function segmentFault(name: string): string | null {
  if (name === '') return 'must not be empty.';
  // Either would climb out of its place in the path, encoded or not.
  if (name === '.' || name === '..') return 'must not be a dot segment.';
  if (/[\p{Control}/\\]/u.test(name)) return 'must not hold a slash, a backslash or a control character.';
  // Half of a surrogate pair: percent-encoding throws on it.
  return /\p{Surrogate}/u.test(name) ? 'must be well-formed Unicode.' : null;
}
