/** Maps an upstream's values to the graph's enum values. Any other value is UNRECOGNIZED. */
export interface EnumMapping<Name extends string = string> {
  readonly names: Readonly<Record<string, Name>>;
}

/** The enum value of an upstream's value: null if there is none, UNRECOGNIZED if it is unknown. */
export function parseEnumValue<Name extends string>(
  { names }: EnumMapping<Name>,
  value: unknown,
): Name | 'UNRECOGNIZED' | null {
  if (typeof value !== 'string') return null;
  // Own properties only: "constructor" is UNRECOGNIZED.
  if (Object.hasOwn(names, value)) return names[value] as Name;
  return value === '' ? null : 'UNRECOGNIZED';
}
