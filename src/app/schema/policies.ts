import {
  type ConstDirectiveNode,
  type DefinitionNode,
  type DocumentNode,
  type FieldDefinitionNode,
  Kind,
  parseConstValue,
  visit,
} from 'graphql';
import type { Config } from '../../config/config.ts';
import { isManagementEntity, isManagementField } from '../../server/guard/areas.ts';
import { type AuthorizationOptions, scopesOfMutation } from '../../server/guard/authorization.ts';
import { getRequiredManagementScopes } from '../configured/guard.ts';

const rootTypes = ['Query', 'Mutation', 'Subscription'];
const linkPattern = /^https:\/\/specs\.apollo\.dev\/federation\//;

/**
 * Adds to the schema what a server with these settings requires of callers, for routers that enforce it: `@authenticated`
 * at every root field, and `@requiresScopes` where scopes are required. Nothing where callers are not verified here.
 */
export function addPolicies(documents: readonly DocumentNode[], config: Config): readonly DocumentNode[] {
  if (config.JWT_ISSUER === undefined) return documents;
  const options: AuthorizationOptions = {
    writeScopes: config.WRITE_SCOPES,
    operateScopes: config.OPERATE_SCOPES,
    managementScopes: getRequiredManagementScopes(config),
  };
  const withPolicy = (root: string) => (field: FieldDefinitionNode) => {
    const { value: name } = field.name;
    const ofReads = isManagementField(name) ? options.managementScopes : [];
    const scopes = root === 'Mutation' ? scopesOfMutation(options, name) : ofReads;
    return { ...field, directives: [...(field.directives ?? []), authenticated, ...requireScopes(scopes)] };
  };
  const addTo = (node: DefinitionNode): DefinitionNode => {
    if (
      (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) &&
      rootTypes.includes(node.name.value)
    )
      return { ...node, fields: (node.fields ?? []).map(withPolicy(node.name.value)) };
    if (node.kind === Kind.OBJECT_TYPE_DEFINITION && isManagementEntity(node.name.value))
      return {
        ...node,
        directives: [...(node.directives ?? []), ...requireScopes(options.managementScopes)],
      };
    return node;
  };
  return documents.map((document) =>
    importDirectives({ ...document, definitions: document.definitions.map(addTo) }),
  );
}

const authenticated: ConstDirectiveNode = {
  kind: Kind.DIRECTIVE,
  name: { kind: Kind.NAME, value: 'authenticated' },
};

/** A caller needs all of the scopes; none for no scopes. */
function requireScopes(scopes: readonly string[]): readonly ConstDirectiveNode[] {
  if (scopes.length === 0) return [];
  const argument = {
    kind: Kind.ARGUMENT,
    name: { kind: Kind.NAME, value: 'scopes' },
    value: parseConstValue(JSON.stringify([[...new Set(scopes)]])),
  } as const;
  const name = { kind: Kind.NAME, value: 'requiresScopes' } as const;
  return [{ kind: Kind.DIRECTIVE, name, arguments: [argument] }];
}

/** Adds the directives to those that the schema imports from federation. */
const importDirectives = (document: DocumentNode): DocumentNode =>
  visit(document, {
    Directive(node) {
      const url = node.arguments?.find(({ name }) => name.value === 'url')?.value;
      if (node.name.value !== 'link' || url?.kind !== Kind.STRING || !linkPattern.test(url.value))
        return undefined;
      return {
        ...node,
        arguments: node.arguments?.map((argument) =>
          argument.name.value === 'import' && argument.value.kind === Kind.LIST
            ? { ...argument, value: { ...argument.value, values: [...argument.value.values, ...imported] } }
            : argument,
        ),
      };
    },
  });

const imported = ['@authenticated', '@requiresScopes'].map(
  (value) => ({ kind: Kind.STRING, value }) as const,
);
