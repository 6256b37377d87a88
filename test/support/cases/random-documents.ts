import fc from 'fast-check';
import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';
import { createSchema } from '../../../src/app/schema/schema.ts';

/** A query with a marker wherever a value can stand. */
export interface RandomDocument {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Values that occur nowhere but in random documents. */
export const markers = {
  text: 'MARKER',
  uuid: '6d61726b-6572-4d41-8b45-520000000000',
  dateTime: '2031-07-13T11:17:19Z',
  date: '2031-07-13',
  number: '31741',
  digits: '271828182845904523536028747135.266',
} as const;

const texts = [
  `"${markers.text}"`,
  `"\\u004dARKER"`,
  `"it's \\"${markers.text}\\" \\\\ \\n \${${markers.text}} \`"`,
  `"""\n  ${markers.text} "quoted" \\ 'x' \`\${y}\`\n"""`,
  `"__${markers.text}__"`,
];
const maxDepth = 5;
const schema = createSchema();
const numberField = (type: string) => (type === 'Decimal' ? [markers.digits] : [markers.number]);

/** Random queries against the schema of the layer; valid ones, unless a value is out of range. */
export const randomDocument: fc.Arbitrary<RandomDocument> = fc.gen().map((generate) => {
  const pick = <Value>(from: readonly Value[]): Value =>
    from[generate(fc.nat, { max: from.length - 1 })] as Value;
  const chance = (percent: number) => generate(fc.nat, { max: 99 }) < percent;
  const declared: string[] = [];
  const variables: Record<string, unknown> = {};

  const scalar = (name: string): string => {
    if (name === 'Boolean') return pick(['true', 'false']);
    if (name === 'Int' || name === 'SafeInt' || name === 'Float') return pick([...numberField(name), '2']);
    if (name === 'Decimal') return pick([markers.digits, `"${markers.digits}"`]);
    if (name === 'UUID') return `"${markers.uuid}"`;
    if (name === 'DateTime') return `"${markers.dateTime}"`;
    if (name === 'Date') return `"${markers.date}"`;
    return pick(texts);
  };

  /** A literal, some of it variables with a literal as default or given. */
  const value = (type: GraphQLInputType, depth: number, isInside: boolean): string => {
    if (chance(isInside ? 15 : 20)) return variable(type, depth);
    return literal(type, depth);
  };
  const variable = (type: GraphQLInputType, depth: number): string => {
    const name = `v${declared.length}`;
    const nullable = isNonNullType(type) ? type.ofType : type;
    const fallback = isNonNullType(type) || chance(60) ? ` = ${constant(nullable, depth + 1)}` : '';
    declared.push(`$${name}: ${isNonNullType(type) ? type : nullable}${fallback}`);
    const given = getNamedType(type);
    if (chance(30) && !isListType(nullable) && ['String', 'ID'].includes(given.name))
      variables[name] = markers.text;
    return `$${name}`;
  };
  const constant = (type: GraphQLInputType, depth: number): string => literalOf(type, depth, constant);
  const literal = (type: GraphQLInputType, depth: number): string =>
    literalOf(type, depth, (inner, below) => value(inner, below, true));

  const literalOf = (
    type: GraphQLInputType,
    depth: number,
    inner: (type: GraphQLInputType, depth: number) => string,
  ): string => {
    if (isNonNullType(type)) return literalOf(type.ofType, depth, inner);
    if (chance(5)) return 'null';
    if (isListType(type)) {
      if (chance(20)) return literalOf(type.ofType, depth + 1, inner);
      const entries = Array.from({ length: pick([0, 1, 2, 3]) }, () => inner(type.ofType, depth + 1));
      return `[${entries.join(', ')}]`;
    }
    if (isEnumType(type)) return pick(type.getValues()).name;
    if (!isInputObjectType(type)) return scalar(type.name);
    const fields = Object.values(type.getFields()).filter((field) => {
      const isNested = isInputObjectType(getNamedType(field.type));
      return isRequiredInputField(field) || (chance(30) && (depth < maxDepth || !isNested));
    });
    return `{ ${fields.map((field) => `${field.name}: ${inner(field.type, depth + 1)}`).join(', ')} }`;
  };

  const condition = (): string => {
    if (!chance(12)) return '';
    const given = chance(50) ? pick(['true', 'false']) : variableCondition();
    return ` @${pick(['skip', 'include'])}(if: ${given})`;
  };
  const variableCondition = (): string => {
    const name = `v${declared.length}`;
    declared.push(`$${name}: Boolean! = ${pick(['true', 'false'])}`);
    return `$${name}`;
  };

  const argumentsOf = ({ args, name }: GraphQLField<unknown, unknown>): string => {
    const given = args.filter(
      (arg) => isRequiredArgument(arg) || (arg.name !== 'id' || name !== 'company' ? chance(45) : false),
    );
    if (given.length === 0) return '';
    return `(${given.map((arg) => `${arg.name}: ${value(arg.type, 0, false)}`).join(', ')})`;
  };

  let aliases = 0;
  const fragments: string[] = [];
  const selection = (parent: GraphQLObjectType, depth: number): string => {
    const fields = Object.values(parent.getFields()).filter(
      // What a process has measured is never the same twice.
      ({ name, type }) => name !== 'upstreams' && (depth < maxDepth || !isCompositeType(getNamedType(type))),
    );
    const preferred = fields.filter(({ args }) => args.length > 0);
    const chosen = [pick(fields), ...(preferred.length > 0 ? [pick(preferred)] : []), pick(fields)];
    const parts = chosen.map((field) => {
      const named = getNamedType(field.type);
      const below = isObjectType(named)
        ? ` ${selection(named, depth + 1)}`
        : isCompositeType(named)
          ? ' { __typename }'
          : '';
      aliases += 1;
      return `a${aliases}: ${field.name}${argumentsOf(field)}${condition()}${below}`;
    });
    // Again, so that fields merge: in a fragment of one place, or of several.
    while (chance(30)) parts.push(`...${condition()} { ${pick(parts)} }`);
    while (chance(20)) {
      fragments.push(`fragment F${fragments.length} on ${parent.name} { ${pick(parts)} }`);
      const name = `F${fragments.length - 1}`;
      parts.push(`...${name}${condition()}`, ...(chance(50) ? [`... { ...${name}${condition()} }`] : []));
    }
    return `{ ${parts.join(' ')} __typename }`;
  };

  const query = schema.getQueryType() as GraphQLObjectType;
  const company = query.getFields().company?.type as GraphQLObjectType;
  const body = chance(80) ? `{ company ${selection(company, 1)} }` : selection(query, 0);
  const heading = `query Random${declared.length > 0 ? `(${declared.join(', ')})` : ''}`;
  return { query: [`${heading} ${body}`, ...fragments].join(' '), variables };
});
