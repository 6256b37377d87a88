import { type DefinitionNode, type DocumentNode, specifiedScalarTypes, type TypeNode } from 'graphql';
import type { DeclarationFile } from '../../business/declarations/declarations.ts';

/** Types and fields that a graph does not have, as schema coordinates: `Customer`, `Customer.balanceDue`. */
export type Hidden = ReadonlySet<string>;

/** The definition of a type, with what some kinds of types have. */
type TypeNodes = DefinitionNode & {
  readonly name?: { readonly value: string };
  readonly fields?: readonly FieldNode[];
  readonly types?: readonly TypeNode[];
  readonly interfaces?: readonly TypeNode[];
};
interface FieldNode {
  readonly name: { readonly value: string };
  readonly type: TypeNode;
  readonly arguments?: readonly { readonly type: TypeNode }[];
}

/** Files without what is hidden, and without the fields that lead to a hidden type. */
export const withoutHidden = (
  files: readonly DeclarationFile[],
  hidden: Hidden,
): readonly DeclarationFile[] =>
  files.map(({ file, document }) => ({
    file,
    document: removeTypes(document, hidden, (type) => !hidden.has(type)),
  }));

/** Definitions without what is hidden, and without what refers to types that are not defined, until all types have fields. */
export function removeHidden(documents: readonly DocumentNode[], hidden: Hidden): readonly DocumentNode[] {
  const defined = definedTypes(documents);
  const rest = documents.map((document) =>
    removeTypes(document, hidden, (type) => defined.has(type) && !hidden.has(type)),
  );
  return definedTypes(rest).size === defined.size ? rest : removeHidden(rest, hidden);
}

const rootTypes = ['Query', 'Mutation', 'Subscription'];

const definedTypes = (documents: readonly DocumentNode[]): ReadonlySet<string> =>
  new Set([
    ...rootTypes,
    ...specifiedScalarTypes.map(({ name }) => name),
    ...documents.flatMap(({ definitions }) =>
      definitions.flatMap((node) =>
        node.kind.endsWith('TypeDefinition') && 'name' in node && node.name ? [node.name.value] : [],
      ),
    ),
  ]);

const removeTypes = (
  document: DocumentNode,
  hidden: Hidden,
  isKnown: (type: string) => boolean,
): DocumentNode => ({
  ...document,
  definitions: document.definitions.flatMap((definition): readonly DefinitionNode[] => {
    const node = definition as TypeNodes;
    if (!/Type(Definition|Extension)$/.test(node.kind) || !node.name) return [definition];
    const name = node.name.value;
    const isVisible = ({ type }: { readonly type: TypeNode }) => isKnown(namedTypeOf(type));
    if (hidden.has(name) || (node.kind.endsWith('Extension') && !isKnown(name))) return [];
    const fields = node.fields
      ?.filter((field) => !hidden.has(`${name}.${field.name.value}`) && isVisible(field))
      .map((field) => (field.arguments ? { ...field, arguments: field.arguments.filter(isVisible) } : field));
    const types = node.types?.filter((type) => isKnown(namedTypeOf(type)));
    if ((node.fields?.length && fields?.length === 0) || (node.types?.length && types?.length === 0))
      return [];
    const interfaces = node.interfaces?.filter((type) => isKnown(namedTypeOf(type)));
    return [
      {
        ...node,
        ...(fields && { fields }),
        ...(types && { types }),
        ...(interfaces && { interfaces }),
      } as DefinitionNode,
    ];
  }),
});

const namedTypeOf = (type: TypeNode): string =>
  type.kind === 'NamedType' ? type.name.value : namedTypeOf(type.type);
