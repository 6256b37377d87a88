import { restrictedNames, restriction, terms } from './csdl/annotations.ts';
import type { EntitySet, Model, Property } from './csdl/model.ts';

type Write = 'create' | 'update' | 'delete';

const restrictions = [
  ['create', terms.insert, 'Insertable'],
  ['update', terms.update, 'Updatable'],
  ['delete', terms.remove, 'Deletable'],
] as const;

/** The writes that the metadata says an entity set takes; null where it says nothing of them. */
export function writesOf({ annotations }: EntitySet): readonly Write[] | null {
  if (!restrictions.some(([, term]) => annotations.has(term))) return null;
  // What it does not say is not written.
  return restrictions.flatMap(([write, term, property]) =>
    restriction(annotations, term, property) === true ? [write] : [],
  );
}

// What pages of Business Central compute or set themselves; its metadata says nothing of it.
const computed =
  /^(?:id|lastModifiedDateTime|lastModfiedDateTime|system(?:Created|Modified)(?:At|By)|status|balance|balanceDue|overdueAmount|discountAppliedBeforeTax|invoiceDiscountAllocation|amount(?:Excluding|Including)Tax|taxPercent|total\w*|net(?:Change|Amount|TaxAmount)\w*|fully\w+|(?:received|shipped|invoiced)Quantity|\w+DisplayName|(?:vendor|customer|billTo|payTo|company|contact)Name|documentId|sequence|entryNumber|inventory)$/;

/** Which writes take a column. */
export function writesOfColumn(
  model: Model,
  property: Property,
  { writes, isKey, set }: { writes: readonly Write[]; isKey: boolean; set: EntitySet | null },
): readonly ('create' | 'update')[] {
  const { name, annotations } = property;
  const permission = annotations.get(terms.permissions);
  if (annotations.get(terms.computed) === true || permission === 'None') return [];
  if (typeof permission === 'string' && /\/Read$|^Read$|\/None$/.test(permission)) return [];
  if (model.isBusinessCentral && computed.test(name)) return [];
  const refusedBy = (term: string, list: string) =>
    set !== null && restrictedNames(set.annotations, term, list).has(name);
  const canUpdate =
    !isKey && annotations.get(terms.immutable) !== true && !refusedBy(terms.update, 'NonUpdatableProperties');
  return [
    ...(writes.includes('create') && !refusedBy(terms.insert, 'NonInsertableProperties')
      ? ['create' as const]
      : []),
    ...(writes.includes('update') && canUpdate ? ['update' as const] : []),
  ];
}

/** Whether a create fails without a column. */
export const isRequired = ({ isNullable, hasDefault, annotations }: Property): boolean =>
  !isNullable && !hasDefault && annotations.get(terms.computedDefault) !== true;
