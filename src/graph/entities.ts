import {
  type GraphQLFieldResolver,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLUnionType,
  getNamedType,
  isLeafType,
  Kind,
  type ObjectTypeDefinitionNode,
} from 'graphql';
import { InputError } from '../errors.ts';

type Representation = Readonly<Record<string, unknown>>;
/** Finds the entity of a representation; null if it does not exist. */
export type ReferenceResolver = (reference: Representation, context: unknown, info: unknown) => unknown;

/** The types with a key, by name. */
export type Entities = ReadonlyMap<string, Entity>;

type EntityKey = readonly (readonly [field: string, type: GraphQLLeafType])[];

interface Entity {
  readonly name: string;
  /** The fields of each key. A `nodeId` contains the first key. */
  readonly keys: readonly [EntityKey, ...EntityKey[]];
  readonly resolve: ReferenceResolver;
}

/** Whether a type can be looked up by its key. */
export const hasKey = ({ directives = [] }: ObjectTypeDefinitionNode): boolean =>
  directives.some(({ name }) => name.value === 'key');

/**
 * Adds the resolver of `_entities`, which calls the reference resolvers of the types with a key.
 *
 * Representations from a router are untyped, so their keys are validated by their scalars before they are used in upstream
 * paths. An invalid representation fails alone.
 */
export function resolveEntities(
  schema: GraphQLSchema,
  resolvers: Readonly<Record<string, ReferenceResolver>>,
): Entities {
  const union = schema.getType('_Entity') as GraphQLUnionType;
  const entities = new Map(
    union.getTypes().map((type): [string, Entity] => [type.name, createEntity(type, resolvers[type.name])]),
  );
  const resolve: GraphQLFieldResolver<unknown, unknown> = (_root, { representations }, context, info) =>
    (representations as readonly unknown[]).map((given) => resolveEntity(entities, given, context, info));
  Object.assign(schema.getQueryType()?.getFields()._entities ?? {}, { resolve });
  union.resolveType = ({ __typename }) => __typename;
  return entities;
}

/** Loads the entity of a representation, and sets its type. Rejects with `InputError` if the representation is invalid. */
export async function resolveEntity(
  entities: Entities,
  given: unknown,
  context: unknown,
  info: unknown,
): Promise<unknown> {
  const entity = findEntity(entities, given);
  const record = await entity.resolve(parseRepresentation(entity, given as Representation), context, info);
  return typeof record === 'object' && record !== null ? withTypename(record, entity.name) : record;
}

/**
 * Sets `__typename` of an object for a field with an abstract type. The property is not enumerable, so spreading does not copy
 * it. A `WeakMap` would leave the object unchanged, but makes a request a third slower.
 */
export function withTypename<R extends object>(record: R, name: string): R & { readonly __typename: string } {
  if (!('__typename' in record)) Object.defineProperty(record, '__typename', { value: name });
  const typed = record as R & { readonly __typename: string };
  return typed.__typename === name ? typed : Object.create(record, { __typename: { value: name } });
}

function createEntity(type: GraphQLObjectType, resolve: ReferenceResolver | undefined): Entity {
  if (!resolve) throw new Error(`${type.name} has a key, and no resolver for references.`);
  const keys = keysOf(type).map((fields) =>
    fields.map((field) => {
      const fieldType = getNamedType(type.getFields()[field]?.type);
      if (!isLeafType(fieldType)) throw new Error(`The key of ${type.name} names no scalar: ${field}.`);
      return [field, fieldType] as const;
    }),
  );
  return { name: type.name, keys: keys as readonly EntityKey[] as Entity['keys'], resolve };
}

/** The field names of each key, in the order of the directives. */
const keysOf = ({ astNode }: GraphQLObjectType): string[][] =>
  (astNode?.directives ?? []).flatMap((directive) => {
    const fields = directive.arguments?.find((argument) => argument.name.value === 'fields')?.value;
    return directive.name.value === 'key' && fields?.kind === Kind.STRING ? [fields.value.split(' ')] : [];
  });

function findEntity(entities: Entities, given: unknown): Entity {
  const { __typename: name } = (given ?? {}) as Representation;
  if (typeof name !== 'string')
    throw new InputError('A representation is an object with `__typename` and the key fields of that type.');
  const entity = entities.get(name);
  if (!entity) throw new InputError(`There are no entities of the type \`${name}\` here.`);
  return entity;
}

/** Validates the first key that the representation has completely; otherwise the first one that it has with nulls. */
function parseRepresentation({ name, keys }: Entity, given: Representation): Representation {
  const key =
    keys.find((fields) => fields.every(([field]) => given[field] != null)) ??
    keys.find((fields) => fields.every(([field]) => given[field] !== undefined)) ??
    keys[0];
  const reference: Record<string, unknown> = { ...given };
  for (const [field, type] of key) {
    try {
      reference[field] = type.parseValue(given[field]);
    } catch (error) {
      throw new InputError(
        `The representation of ${name} has a bad \`${field}\`. ${(error as Error).message}`,
      );
    }
  }
  return reference;
}
