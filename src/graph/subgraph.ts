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
 * A schema as a subgraph of Federation 2: what it defines, the definitions of federation, and `_service` and
 * `_entities`. https://www.apollographql.com/docs/graphos/schema-design/federated-schemas/reference/subgraph-spec
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

/** A schema as SDL, with its directives: that of the subgraph is what `_service` returns, and what routers compose. */
export const printDefinitions = (document: DocumentNode): string =>
  print(
    visit(document, {
      StringValue: (node, key) =>
        key === 'description' ? { ...node, block: node.value.includes('\n') } : undefined,
    }),
  );

const isEntity = (node: DefinitionNode): node is ObjectTypeDefinitionNode =>
  node.kind === Kind.OBJECT_TYPE_DEFINITION && hasKey(node);

// `@link` imports directives under their own name; without it they stand under the one of their specification.
function federationDefinitions(own: readonly DefinitionNode[]): DocumentNode {
  const text = readFileSync(new URL('../../schema/federation/v2.9.graphql', import.meta.url), 'utf8');
  const links = own.filter(({ kind }) => kind === Kind.SCHEMA_EXTENSION).map(print);
  const imported = new Set([...links.join().matchAll(/"@(\w+)"/g)].map(([, name]) => name));
  return parseDefinitions(
    text.replace(/@federation__(\w+)/g, (as, name) => (imported.has(name) ? `@${name}` : as)),
  );
}

const isExtension = ({ kind }: DefinitionNode): boolean => kind.endsWith('Extension');

// The schema, its directives, and the types as they are first met, each with its extensions behind it.
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
