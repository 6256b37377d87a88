import { type GraphQLNamedType, isAbstractType, isObjectType } from 'graphql';

/** Whether objects of a type count as rows. Records do; other objects are parts of a record. */
export const isRowType = (type: GraphQLNamedType): boolean =>
  isAbstractType(type) ||
  (isObjectType(type) &&
    (type.getFields().id !== undefined ||
      type.astNode?.directives?.some(({ name }) => name.value === 'key') === true));

/** Fields of pages, and of payloads with several results. Their rows are counted with the parent field. */
export const fieldsCountedWithParent: ReadonlySet<string> = new Set(['nodes', 'edges', 'node', 'results']);
