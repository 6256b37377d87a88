import { readFileSync } from 'node:fs';
import {
  concatAST,
  type DefinitionNode,
  type DocumentNode,
  Kind,
  type ObjectTypeDefinitionNode,
  print,
  visit,
} from 'graphql';
import { parseDefinitions } from './definition-keys.ts';
import { hasKey } from './entities.ts';

/**
 * Builds a subgraph schema of Federation 2: adds the definitions of federation, `_service` and `_entities`.
 * https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
 */
export function buildSubgraph(typeDefs: readonly DocumentNode[]): DocumentNode {
  const own = concatAST(typeDefs).definitions;
  const entities = own.filter(isEntity).map(({ name }) => name.value);
  const union = parseDefinitions(
    `union _Entity = ${entities.sort((one, other) => one.localeCompare(other, 'en')).join(' | ')}`,
  );
  return {
    kind: Kind.DOCUMENT,
    definitions: sortDefinitions([...own, ...federationDefinitions(own).definitions, ...union.definitions]),
  };
}

/** Prints a schema as SDL, with its directives, which `printSchema` of graphql-js omits. */
export const printDefinitions = (document: DocumentNode): string =>
  print(
    visit(document, {
      StringValue: (node, key) =>
        key === 'description' ? { ...node, block: node.value.includes('\n') } : undefined,
    }),
  );

const isEntity = (node: DefinitionNode): node is ObjectTypeDefinitionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION && hasKey(node);

// Directives that `@link` imports have short names (`@key`), all others the prefix of their specification.
function federationDefinitions(own: readonly DefinitionNode[]): DocumentNode {
  const text = readFileSync(new URL('../../schema/federation/v2.9.graphql', import.meta.url), 'utf8');
  const links = own.filter(({ kind }) => kind === Kind.SCHEMA_EXTENSION).map(print);
  const imported = new Set([...links.join().matchAll(/"@(\w+)"/g)].map(([, name]) => name));
  return parseDefinitions(
    text.replace(/@federation__(\w+)/g, (as, name) => (imported.has(name) ? `@${name}` : as)),
  );
}

const isExtension = ({ kind }: DefinitionNode): boolean => kind.endsWith('Extension');

// Order: the schema, its directives, then the types in the order of their first occurrence, each followed by its extensions.
function sortDefinitions(definitions: readonly DefinitionNode[]): DefinitionNode[] {
  const groups = new Map(['schema', 'directives'].map((group) => [group, [] as DefinitionNode[]]));
  for (const node of definitions) {
    const group = groupName(node);
    groups.set(group, [...(groups.get(group) ?? []), node]);
  }
  return [...groups.values()].flatMap((nodes) => [
    ...nodes.filter((node) => !isExtension(node)),
    ...nodes.filter(isExtension),
  ]);
}

function groupName(node: DefinitionNode): string {
  if (node.kind === Kind.DIRECTIVE_DEFINITION) return 'directives';
  return 'name' in node && node.name ? `type ${node.name.value}` : 'schema';
}
