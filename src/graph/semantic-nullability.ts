import {
  type ConstDirectiveNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  parseConstValue,
  visit,
} from 'graphql';
import { definitionKeys } from './definition-keys.ts';

const payloads = /(Connection|Payload)$/;
const rootLists: ReadonlySet<string> = new Set(['operations', 'upstreams']);

/**
 * Adds `@semanticNonNull` (https://specs.apollo.dev/nullability/v0.4) to nullable fields that are null only with an error:
 * pages, payloads of mutations, and the lists of `Query` with their items. Not to records, which can be missing, and columns,
 * which can be unset.
 */
export const addSemanticNullability = (document: DocumentNode): DocumentNode =>
  visit(document, { FieldDefinition: addDirective }, definitionKeys);

function addDirective(field: FieldDefinitionNode): FieldDefinitionNode | undefined {
  const { type } = field;
  if (type.kind === Kind.NAMED_TYPE && payloads.test(type.name.value)) return withLevels(field, null);
  if (type.kind !== Kind.LIST_TYPE || !rootLists.has(field.name.value)) return undefined;
  return withLevels(field, type.type.kind === Kind.NON_NULL_TYPE ? null : [0, 1]);
}

function withLevels(field: FieldDefinitionNode, levels: readonly number[] | null): FieldDefinitionNode {
  const directive: ConstDirectiveNode = {
    kind: Kind.DIRECTIVE,
    name: { kind: Kind.NAME, value: 'semanticNonNull' },
    arguments: levels
      ? [
          {
            kind: Kind.ARGUMENT,
            name: { kind: Kind.NAME, value: 'levels' },
            value: parseConstValue(JSON.stringify(levels)),
          },
        ]
      : [],
  };
  return { ...field, directives: [...(field.directives ?? []), directive] };
}
