import {
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/*
 * The rules of docs/graph.md that hold for every graph, whatever its record types are. Each function returns the places
 * that break its rule.
 */

type Field = GraphQLField<unknown, unknown> | GraphQLInputField;
interface Place {
  readonly place: string;
  readonly type: GraphQLNamedType;
  readonly field: Field;
}

const typesOf = (schema: GraphQLSchema): readonly GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('_'));

const fieldsOf = (type: GraphQLNamedType | undefined): readonly Field[] =>
  isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    ? Object.values(type.getFields()).filter(({ name }) => !name.startsWith('_'))
    : [];

const placesOf = (schema: GraphQLSchema): readonly Place[] =>
  typesOf(schema).flatMap((type) =>
    fieldsOf(type).map((field) => ({ place: `${type.name}.${field.name}`, type, field })),
  );

const argumentsOf = (field: Field) => ('args' in field ? field.args : []);

/** Types in PascalCase, fields and arguments in camelCase, members of enums in capitals, inputs by what they are for. */
function findMisnamed(schema: GraphQLSchema): readonly string[] {
  const camel = /^[a-z][a-zA-Z0-9]*$/;
  const types = typesOf(schema);
  return [
    ...types.filter(({ name }) => !/^[A-Z][a-zA-Z0-9]*$/.test(name)).map(({ name }) => name),
    ...types
      .filter((type) => isInputObjectType(type) !== /(Input|Patch|Filter)$/.test(type.name))
      .filter((type) => isInputObjectType(type) || isObjectType(type))
      .map(({ name }) => name),
    ...placesOf(schema).flatMap(({ place, field }) =>
      [field.name, ...argumentsOf(field).map(({ name }) => name)].flatMap((name) =>
        camel.test(name) ? [] : [`${place}: ${name}`],
      ),
    ),
    ...types
      .filter(isEnumType)
      .flatMap((type) => type.getValues().map(({ name }) => [type.name, name] as const))
      .filter(([, name]) => !/^[A-Z][A-Z\d]*(_[A-Z\d]+)*$/.test(name))
      .map((names) => names.join('.')),
  ];
}

/** Fields of filters of records have the names of columns, and need no description. */
function isColumnOfFilter(schema: GraphQLSchema, { type, field }: Place): boolean {
  const record = schema.getType(type.name.slice(0, -'Filter'.length));
  return (
    type.name.endsWith('Filter') &&
    !['and', 'or', 'not'].includes(field.name) &&
    (record?.name === 'Company' || fieldsOf(record).some(({ name }) => name === 'companyId'))
  );
}

/** Everything that a caller can read about is described, but for columns in filters and orders. Roots are only ever extended. */
function findUndescribed(schema: GraphQLSchema): readonly string[] {
  const roots = ['Query', 'Mutation', 'Subscription'];
  const described = [
    ...typesOf(schema)
      .filter(({ name }) => !roots.includes(name))
      .map((type) => [type.name, type.description] as const),
    ...typesOf(schema)
      .filter(isEnumType)
      .filter(({ name }) => !name.endsWith('Order'))
      .flatMap((type) =>
        type.getValues().map(({ name, description }) => [`${type.name}.${name}`, description] as const),
      ),
    ...placesOf(schema)
      .filter((one) => !isColumnOfFilter(schema, one))
      .flatMap(({ place, field }) => [
        [place, field.description] as const,
        ...argumentsOf(field).map((one) => [`${place}(${one.name})`, one.description] as const),
      ]),
  ];
  return described.filter(([, description]) => !description?.trim()).map(([place]) => place);
}

/** A connection has its rows, its page and its count; it is nullable, and takes `first` and `after`. */
function findIncompleteConnections(schema: GraphQLSchema): readonly string[] {
  const typeOf = (type: string, name: string) =>
    String(fieldsOf(schema.getType(type)).find((field) => field.name === name)?.type);
  const isComplete = (name: string) => {
    const node = name.slice(0, -'Connection'.length);
    return (
      typeOf(name, 'edges') === `[${node}Edge!]!` &&
      typeOf(name, 'nodes') === `[${node}!]!` &&
      typeOf(name, 'pageInfo') === 'PageInfo!' &&
      typeOf(name, 'totalCount') === 'Int' &&
      typeOf(`${node}Edge`, 'node') === `${node}!` &&
      typeOf(`${node}Edge`, 'cursor') === 'String!'
    );
  };
  const isConnection = ({ name }: GraphQLNamedType) => name.endsWith('Connection');
  return [
    ...typesOf(schema)
      .filter((type) => isConnection(type) && !isComplete(type.name))
      .map(({ name }) => name),
    ...placesOf(schema)
      .filter(({ field }) => {
        const signature = argumentsOf(field).map(
          ({ name, type, defaultValue }) => `${name}: ${type}${defaultValue ? ` = ${defaultValue}` : ''}`,
        );
        const isPaged = ['first: Int = 50', 'after: String'].every((one) => signature.includes(one));
        return isConnection(getNamedType(field.type))
          ? !isPaged || isNonNullType(field.type)
          : argumentsOf(field).some(({ name }) => name === 'first');
      })
      .map(({ place }) => place),
  ];
}

/** Enums that are read have UNRECOGNIZED and the upstream's word beside them, but for those without words of an upstream. */
export const findClosedEnums = (schema: GraphQLSchema, ours: ReadonlySet<string>): readonly string[] =>
  placesOf(schema)
    .filter(({ type, field }) => {
      const named = getNamedType(field.type);
      if (!isObjectType(type) || !isEnumType(named) || ours.has(named.name)) return false;
      const raw = fieldsOf(type).find(({ name }) => name === `${field.name}Raw`);
      const words = isListType(getNullableType(field.type)) ? '[String!]' : 'String';
      return !named.getValue('UNRECOGNIZED') || String(raw?.type) !== words;
    })
    .map(({ place }) => place);

/** What a decimal can be; each says so in its description. */
const unitOf = /\bcurrency\b|per cent\b|\bunits?\b|\brate\b/;

/** Decimals say what they are, and the currency that they name is beside them: in the record or its company. */
const findDecimalFaults = (schema: GraphQLSchema): readonly string[] =>
  placesOf(schema)
    .filter(({ type, field }) => {
      if (getNamedType(field.type).name !== 'Decimal' || type.name === 'DecimalFilter') return false;
      const text = field.description ?? '';
      if (!unitOf.test(text)) return true;
      if (isInputObjectType(type) || !/\bcurrency\b/.test(text)) return false;
      // A currency by its code, as in `the currency EUR`, needs no field.
      if (/\bcurrency [A-Z]{3}\b/.test(text)) return false;
      const beside = /home currency/.test(text)
        ? 'company'
        : type.name === 'Currency'
          ? 'code'
          : 'currencyCode';
      return !fieldsOf(type).some(({ name }) => name === beside);
    })
    .map(({ place }) => place);

/** The rules for what declarations add to a graph, by what they are about. */
export const rulesOfRecordTypes: Readonly<Record<string, (schema: GraphQLSchema) => readonly string[]>> = {
  names: findMisnamed,
  descriptions: findUndescribed,
  connections: findIncompleteConnections,
  decimals: findDecimalFaults,
};
