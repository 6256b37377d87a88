import { createView, type View } from '../../../src/business/reading/views.ts';
import { getDialect } from '../../../src/business/record-sets/dialect.ts';
import type { RecordSet, RowShape } from '../../../src/business/record-sets/record-set.ts';
import { type SelectedObject, selectNothing } from '../../../src/graph/selected-object.ts';

const maxDepth = 3;

const selectAll = ({ fields, relations = {} }: RowShape, depth: number): SelectedObject => ({
  fields: new Set([...Object.keys(fields), ...(depth < maxDepth ? Object.keys(relations) : [])]),
  below: (field) => {
    const relation = relations[field];
    return relation ? selectAll(relation.target, depth + 1) : selectNothing;
  },
});

/** A view of all columns of a set, with those of its relations to a depth of three. */
export const createWholeView = (set: RecordSet): View =>
  createView(set, getDialect('document'), selectAll(set, 1));
