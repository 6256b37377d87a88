/** The upstream's words for a choice, and the graph's names for them. Any other word is UNRECOGNIZED. */
export interface Choice<Name extends string = string> {
  readonly names: Readonly<Record<string, Name>>;
  /** The word that stands for "nothing chosen", where there is one. */
  readonly unset?: string;
}

/** The graph's name for the upstream's word: null when there is no word, UNRECOGNIZED for a new one. */
export function readChoice<Name extends string>(
  { names }: Choice<Name>,
  value: unknown,
): Name | 'UNRECOGNIZED' | null {
  if (typeof value !== 'string') return null;
  // Own names only: the word "constructor" is unrecognised, not a function.
  if (Object.hasOwn(names, value)) return names[value] as Name;
  return value === '' ? null : 'UNRECOGNIZED';
}

/** The upstream's word for the graph's name, the first where there are several; undefined for UNRECOGNIZED. */
export function wordOf({ names }: Choice, name: unknown): string | undefined {
  return Object.keys(names).find((word) => names[word] === name);
}
