import {
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  getNamedType,
  isLeafType,
  Kind,
} from 'graphql';
import { InputError } from '../errors.ts';

type Representation = Readonly<Record<string, unknown>>;
/** Finds the entity of a representation; null if there is none. */
export type ReferenceResolver = (reference: Representation, context: unknown, info: unknown) => unknown;

interface Entity {
  readonly name: string;
  readonly key: readonly (readonly [field: string, type: GraphQLLeafType])[];
  readonly resolve: ReferenceResolver;
}

/**
 * Resolves `_entities` by the reference resolvers of the types that have a key.
 *
 * A router's representations are untyped. Keys are validated by their scalars before they are used in upstream paths. An
 * invalid representation fails alone.
 */
export function resolveEntities(
  schema: GraphQLSchema,
  resolvers: Readonly<Record<string, ReferenceResolver>>,
): void {
  const union = schema.getType('_Entity') as GraphQLUnionType;
  const entities = new Map(
    union.getTypes().map((type): [string, Entity] => [type.name, createEntity(type, resolvers[type.name])]),
  );
  const resolveOne = async (given: unknown, context: unknown, info: unknown) => {
    const entity = findEntity(entities, given);
    const record = await entity.resolve(parseRepresentation(entity, given as Representation), context, info);
    return typeof record === 'object' && record !== null ? withTypename(record, entity.name) : record;
  };
  const resolve: GraphQLFieldResolver<unknown, unknown> = (_root, { representations }, context, info) =>
    (representations as readonly unknown[]).map((given) => resolveOne(given, context, info));
  Object.assign(schema.getQueryType()?.getFields()._entities ?? {}, { resolve });
  union.resolveType = ({ __typename }) => __typename;
}

// Adds `__typename` as a non-enumerable property, so that spreading does not copy it. A `WeakMap` would not change records,
// but makes a request a third slower.
function withTypename(record: object, name: string): object {
  if (!('__typename' in record)) return Object.defineProperty(record, '__typename', { value: name });
  return record.__typename === name ? record : { ...record, __typename: name };
}

function createEntity(type: GraphQLObjectType, resolve: ReferenceResolver | undefined): Entity {
  if (!resolve) throw new Error(`${type.name} has a key, and no resolver for references.`);
  const key = keyFields(type).map((field) => {
    const fieldType = getNamedType(type.getFields()[field]?.type);
    if (!isLeafType(fieldType)) throw new Error(`The key of ${type.name} names no scalar: ${field}.`);
    return [field, fieldType] as const;
  });
  return { name: type.name, key, resolve };
}

function keyFields({ astNode }: GraphQLObjectType): string[] {
  const key = astNode?.directives?.find((directive) => directive.name.value === 'key');
  const fields = key?.arguments?.find((argument) => argument.name.value === 'fields')?.value;
  return fields?.kind === Kind.STRING ? fields.value.split(' ') : [];
}

function findEntity(entities: ReadonlyMap<string, Entity>, given: unknown): Entity {
  const { __typename: name } = (given ?? {}) as Representation;
  if (typeof name !== 'string')
    throw new InputError('A representation is an object with `__typename` and the key fields of that type.');
  const entity = entities.get(name);
  if (!entity) throw new InputError(`There are no entities of the type \`${name}\` here.`);
  return entity;
}

function parseRepresentation({ name, key }: Entity, given: Representation): Representation {
  const reference: Record<string, unknown> = { ...given };
  for (const [field, type] of key) {
    try {
      reference[field] = type.parseValue(reference[field]);
    } catch (error) {
      throw new InputError(
        `The representation of ${name} has a bad \`${field}\`. ${(error as Error).message}`,
      );
    }
  }
  return reference;
}
