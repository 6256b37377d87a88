import { type GraphQLNamedType, isAbstractType, isObjectType } from 'graphql';

/**
 * Whether objects of a type are rows of their own: a record can be told from others of its kind; everything else comes
 * with the record it belongs to.
 */
export const isRow = (type: GraphQLNamedType): boolean =>
  isAbstractType(type) ||
  (isObjectType(type) &&
    (type.getFields().id !== undefined ||
      type.astNode?.directives?.some(({ name }) => name.value === 'key') === true));

/** What a page or the answer to many changes is made of: its rows are counted with the field above. */
export const countedAbove: ReadonlySet<string> = new Set(['nodes', 'edges', 'node', 'results']);
