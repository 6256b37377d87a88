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
import { namedType } from './definitions.ts';
import { type Entities, hasKey, resolveEntity } from './entities.ts';

const interfaceName = 'Node';
const badNodeId = 'This is not a `nodeId` of this graph. Pass one as it was returned.';

/**
 * Makes each type with a key a `Node`: adds the interface and its fields to the definition. An interface that implements `Node`
 * gets the fields, too.
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
    return {
      ...node,
      interfaces: [namedType(interfaceName), ...(node.interfaces ?? [])],
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
    if (nodeId) Object.assign(nodeId, { resolve: readId, extensions: { readFromSource: readId } });
  }
  const readNode = async (nodeId: string, context: unknown, info: unknown) => {
    const reference = readReference(entities, nodeId);
    if (!reference) throw new InputError(badNodeId);
    return resolveEntity(entities, reference, context, info);
  };
  const query = schema.getQueryType()?.getFields();
  if (query?.node) query.node.resolve = (_root, { nodeId }, context, info) => readNode(nodeId, context, info);
  if (query?.nodes)
    query.nodes.resolve = (_root, { nodeIds }, context, info) =>
      (nodeIds as readonly string[]).map((nodeId) => readNode(nodeId, context, info));
  const node = schema.getType(interfaceName);
  if (isInterfaceType(node)) node.resolveType = ({ __typename }) => __typename;
}

// Names of resources and resource groups in area B are case-insensitive, so node ids have them in lower case.
const toCanonical = (field: string, value: unknown) =>
  field.endsWith('Name') && typeof value === 'string' ? value.toLowerCase() : value;

/** Decodes a node id to a representation. Returns null unless the graph would encode the same key to the same id. */
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

/** Encodes the node id of an entity. The values have the order of the key's fields. */
export const encodeNodeId = (type: string, values: readonly unknown[]): string =>
  Buffer.from(JSON.stringify([type, ...values])).toString('base64url');

/** Decodes the type and key of a node id, without validating them; null for other texts. */
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

/** Decodes the key of a node id of this type, without validating it; null for other texts. */
export function readNodeKey(type: string, nodeId: string): readonly string[] | null {
  const decoded = decodeNodeId(nodeId);
  return decoded?.type === type ? decoded.values : null;
}

/** Decodes the type of a node id. The type need not exist; null for other values. */
export const readNodeType = (nodeId: unknown): string | null =>
  (typeof nodeId === 'string' && decodeNodeId(nodeId)?.type) || null;
