import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  printType,
} from 'graphql';

/** A type or field that a search found. */
export interface SchemaMatch {
  /** `Customer` or `Customer.salesOrders`. */
  readonly name: string;
  /** A type's kind, or a field with its arguments and type. */
  readonly definition: string;
  readonly description: string;
}

export interface SchemaSearchResult {
  readonly matches: readonly SchemaMatch[];
  /** Number of matches that were left out. */
  readonly leftOut: number;
  /** The definition of the type that was named exactly; null if none was. */
  readonly type: string | null;
}

/** Finds types and fields whose names or descriptions have all of the words. */
export type SearchSchema = (words: string, most: number) => SchemaSearchResult;

interface Entry extends SchemaMatch {
  readonly lowerName: string;
  readonly lowerDescription: string;
}

const maxWords = 8;
const maxDescription = 300;
const maxTypeCharacters = 20_000;

export function createSchemaSearch(schema: GraphQLSchema): SearchSchema {
  const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));
  const byLowerName = new Map(types.map((type) => [type.name.toLowerCase(), type]));
  const entries = types.flatMap(listEntries);

  return (words, most) => {
    const wanted = words
      .toLowerCase()
      .split(/[^\p{L}\p{N}_]+/u)
      .filter(Boolean)
      .slice(0, maxWords);
    const scored = wanted.length === 0 ? [] : entries.flatMap((entry) => scoreEntry(entry, wanted));
    scored.sort((one, other) => other.score - one.score || one.entry.name.length - other.entry.name.length);
    const exact = wanted.length === 1 ? byLowerName.get(wanted[0] as string) : undefined;
    return {
      matches: scored
        .slice(0, most)
        .map(({ entry: { name, definition, description } }) => ({ name, definition, description })),
      leftOut: Math.max(0, scored.length - most),
      type: exact ? printBounded(exact) : null,
    };
  };
}

/** Words in a name count most, and most of all where they are the whole of it. */
function scoreEntry(entry: Entry, words: readonly string[]): { entry: Entry; score: number }[] {
  let score = 0;
  for (const word of words) {
    const ownName = entry.lowerName.slice(entry.lowerName.indexOf('.') + 1);
    if (ownName === word) score += 8;
    else if (ownName.includes(word)) score += 4;
    else if (entry.lowerName.includes(word)) score += 2;
    else if (entry.lowerDescription.includes(word)) score += 1;
    else return [];
  }
  return [{ entry, score }];
}

function listEntries(type: GraphQLNamedType): Entry[] {
  const kind = isObjectType(type)
    ? 'type'
    : isInterfaceType(type)
      ? 'interface'
      : isInputObjectType(type)
        ? 'input'
        : isEnumType(type)
          ? 'enum'
          : 'scalar or union';
  const own = createEntry(type.name, `${kind} ${type.name}`, type.description);
  if (isEnumType(type))
    return [
      own,
      ...type
        .getValues()
        .map((value) => createEntry(`${type.name}.${value.name}`, value.name, value.description)),
    ];
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return [own];
  const fields: readonly (GraphQLField<unknown, unknown> | GraphQLInputField)[] = Object.values(
    type.getFields(),
  );
  return [
    own,
    ...fields.map((field) =>
      createEntry(`${type.name}.${field.name}`, signatureOf(field), field.description),
    ),
  ];
}

function signatureOf(field: GraphQLField<unknown, unknown> | GraphQLInputField): string {
  const args = 'args' in field ? field.args.map(({ name, type }) => `${name}: ${type}`) : [];
  return `${field.name}${args.length > 0 ? `(${args.join(', ')})` : ''}: ${field.type}`;
}

function createEntry(name: string, definition: string, given: string | null | undefined): Entry {
  const whole = given ?? '';
  const description = whole.length > maxDescription ? `${whole.slice(0, maxDescription)}…` : whole;
  return {
    name,
    definition,
    description,
    lowerName: name.toLowerCase(),
    lowerDescription: whole.toLowerCase(),
  };
}

function printBounded(type: GraphQLNamedType): string {
  const text = printType(type);
  return text.length > maxTypeCharacters
    ? `${text.slice(0, maxTypeCharacters)}\n# … cut: search for the words of a field`
    : text;
}
