import {
  type DefinitionNode,
  type DocumentNode,
  type GraphQLFieldResolver,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type NamedTypeNode,
} from 'graphql';
import { InputError, withoutStacks } from '../errors.ts';
import { type Entities, hasKey, resolveEntity } from './entities.ts';

const interfaceName = 'Node';
const badNodeId = 'This is not a `nodeId` of this graph. Pass one as it was returned.';

/**
 * Makes each type with a key a `Node`: adds the interface and its fields, with their descriptions, to the definition. An
 * interface that implements `Node` gets the fields, too.
 */
export function addNodeDefs(documents: readonly DocumentNode[]): DocumentNode[] {
  const fields = documents.flatMap(({ definitions }) =>
    definitions.flatMap((node) =>
      node.kind === Kind.INTERFACE_TYPE_DEFINITION && node.name.value === interfaceName
        ? (node.fields ?? [])
        : [],
    ),
  );
  const addTo = (node: DefinitionNode): DefinitionNode => {
    if (node.kind === Kind.INTERFACE_TYPE_DEFINITION && node.interfaces?.some(isNode))
      return { ...node, fields: [...fields, ...(node.fields ?? [])] };
    if (node.kind !== Kind.OBJECT_TYPE_DEFINITION || !hasKey(node)) return node;
    const named = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value: interfaceName } } as const;
    return {
      ...node,
      interfaces: [named, ...(node.interfaces ?? [])],
      fields: [...fields, ...(node.fields ?? [])],
    };
  };
  return documents.map((document) => ({ ...document, definitions: document.definitions.map(addTo) }));
}

const isNode = ({ name }: NamedTypeNode): boolean => name.value === interfaceName;

/** Resolves `nodeId` of every type with a key, and `node` and `nodes` by the reference resolvers. */
export function resolveNodes(schema: GraphQLSchema, entities: Entities): void {
  for (const [name, { keys }] of entities) {
    const [key] = keys;
    const type = schema.getType(name);
    if (!isObjectType(type)) continue;
    const readId: Resolver = (record) =>
      encodeNodeId(
        name,
        key.map(([field]) => toCanonical(field, (record as Readonly<Record<string, unknown>>)[field])),
      );
    const { nodeId } = type.getFields();
    if (nodeId) Object.assign(nodeId, { resolve: readId, extensions: { known: readId } });
  }
  const readNode = async (nodeId: string, context: unknown, info: unknown) => {
    const reference = readReference(entities, nodeId);
    if (!reference) throw new InputError(badNodeId);
    return resolveEntity(entities, reference, context, info);
  };
  const query = schema.getQueryType()?.getFields();
  setResolver(query?.node, (_root, { nodeId }, context, info) => readNode(nodeId, context, info));
  setResolver(query?.nodes, (_root, { nodeIds }, context, info) =>
    (nodeIds as readonly string[]).map((nodeId) => readNode(nodeId, context, info)),
  );
  const node = schema.getType(interfaceName);
  if (isInterfaceType(node)) node.resolveType = ({ __typename }) => __typename;
}

// Area B compares names of resources and resource groups without case. An id in another case reads the same resource.
const toCanonical = (field: string, value: unknown) =>
  field.endsWith('Name') && typeof value === 'string' ? value.toLowerCase() : value;

/** The key that a node id names, with its type; null unless the id is one that the graph gives to this key, in any case of names. */
function readReference(entities: Entities, nodeId: string): Readonly<Record<string, unknown>> | null {
  const decoded = decodeNodeId(nodeId);
  const key = decoded && entities.get(decoded.type)?.keys[0];
  if (!key || key.length !== decoded.values.length) return null;
  try {
    const values = key.map(([, type], index) => type.parseValue(decoded.values[index]));
    if (encodeNodeId(decoded.type, values) !== nodeId) return null;
    return {
      __typename: decoded.type,
      ...Object.fromEntries(key.map(([field], index) => [field, values[index]])),
    };
  } catch {
    return null;
  }
}

type Resolver = GraphQLFieldResolver<unknown, unknown>;

const setResolver = (field: { resolve?: Resolver } | undefined, resolve: Resolver) => {
  if (field) field.resolve = resolve;
};

/** The node id of what has a key; its values in the order of the key's fields. */
export const encodeNodeId = (type: string, values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([type, ...values])).toString('base64url');

/** The type and the key of a node id, as yet unchecked; null for anything else. */
function decodeNodeId(nodeId: string): { readonly type: string; readonly values: readonly string[] } | null {
  try {
    const content: unknown = withoutStacks(() => JSON.parse(Buffer.from(nodeId, 'base64url').toString()));
    if (!Array.isArray(content) || !content.every((value) => typeof value === 'string')) return null;
    const [type, ...values] = content;
    return type === undefined || encodeNodeId(type, values) !== nodeId ? null : { type, values };
  } catch {
    return null;
  }
}

/** The values of the key in a node id of a type, as yet unchecked; null for anything else. */
export function readNodeKey(type: string, nodeId: string): readonly string[] | null {
  const decoded = decodeNodeId(nodeId);
  return decoded?.type === type ? decoded.values : null;
}

/** The type that a node id names, which need not exist; null where it names none. */
export const readNodeType = (nodeId: unknown): string | null =>
  (typeof nodeId === 'string' && decodeNodeId(nodeId)?.type) || null;
