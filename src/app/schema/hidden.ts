import { type DefinitionNode, type DocumentNode, specifiedScalarTypes, type TypeNode } from 'graphql';
import { type DeclarationFile, namedTypeOf } from '../../business/declarations/declarations.ts';

/** The hidden types and fields, as schema coordinates: `Customer`, `Customer.balanceDue`. */
export type Hidden = ReadonlySet<string>;

/** The definition of a type of any kind. */
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

/** Removes hidden types and fields from files, and the fields whose type is hidden. */
export const withoutHidden = (
  files: readonly DeclarationFile[],
  hidden: Hidden,
): readonly DeclarationFile[] =>
  files.map(({ file, document }) => ({
    file,
    document: removeTypes(document, hidden, (type) => !hidden.has(type)),
  }));

/**
 * Removes hidden types and fields from definitions, and everything that refers to undefined types. Types that lose all fields
 * are removed, too, so it repeats until no type is removed.
 */
export function removeHidden(documents: readonly DocumentNode[], hidden: Hidden): readonly DocumentNode[] {
  const defined = definedTypes(documents);
  const remaining = documents.map((document) =>
    removeTypes(document, hidden, (type) => defined.has(type) && !hidden.has(type)),
  );
  return definedTypes(remaining).size === defined.size ? remaining : removeHidden(remaining, hidden);
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
