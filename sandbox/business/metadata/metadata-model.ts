import type { Dialect } from '../dialect.ts';
import { encodeName } from '../dialect.ts';
import type { EntitySet, Navigation, SetField } from '../entity-set.ts';
import { entitySets } from '../entity-sets.ts';
import { standardRoute, v1Route } from '../routes.ts';

/** What `$metadata` says of a route, in a dialect. */
export interface MetadataModel {
  readonly dialect: Dialect;
  readonly route: string;
  /** The entity types: sets with addresses and those that relations alone lead to. */
  readonly sets: readonly EntitySet[];
  readonly enums: readonly MetadataEnum[];
}

interface MetadataEnum {
  readonly name: string;
  /** As XML names. */
  readonly members: readonly string[];
}

export function metadataModel(dialect: Dialect, route: string): MetadataModel {
  const sets =
    route === v1Route
      ? [dialect.itemsV1]
      : entitySets
          .filter((set) => (set.route ?? standardRoute) === route && set.name !== 'companies')
          .map(({ name }) => dialect.set(name));
  const enums = new Map<string, MetadataEnum>();
  for (const set of sets) {
    for (const field of set.fields) {
      const name = enumNameOf(set, field, route);
      if (name !== undefined && field.choices)
        enums.set(name, { name, members: field.choices.map(encodeName) });
    }
  }
  return { dialect, route, sets, enums: [...enums.values()] };
}

/** The name of an entity type. */
export const typeNameOf = ({ typeName }: EntitySet): string => (typeName === 'itemV1' ? 'item' : typeName);

/** The fields of the key: `id`, unless the first field of the set is the id of another record. */
export function keyNamesOf({ fields }: EntitySet): readonly string[] {
  return fields.some(({ name }) => name === 'id') ? ['id'] : fields.slice(0, 1).map(({ name }) => name);
}

/** The real service names the enum of a field after its table. By entity type and field; others get both names. */
const enumNames: Readonly<Record<string, string>> = {
  'customer.type': 'contactType',
  'purchaseOrder.status': 'purchaseOrderEntityBufferStatus',
  'purchaseInvoice.status': 'purchaseInvoiceEntityAggregateStatus',
  'salesOrder.status': 'salesOrderEntityBufferStatus',
  'salesQuote.status': 'salesQuoteEntityBufferStatus',
  'salesCreditMemo.status': 'salesCrMemoEntityBufferStatus',
  'salesInvoice.status': 'invoiceEntityAggregateStatus',
  'salesShipmentLine.lineType': 'salesLineType',
  'account.category': 'glAccountCategory',
  'account.accountType': 'glAccountType',
  'generalLedgerEntry.documentType': 'genJournalDocumentType',
  'contact.contactBusinessRelation': 'contactBusinessRelation',
  'documentAttachment.parentType': 'attachmentEntityBufferDocumentType',
};

/** The enum of a field; undefined for any other field, and in v1.0, whose words are strings. */
export function enumNameOf(set: EntitySet, { name, choices }: SetField, route: string): string | undefined {
  if (!choices || route === v1Route) return undefined;
  const type = typeNameOf(set);
  const known = enumNames[`${type}.${name}`];
  if (known !== undefined) return known;
  if (name === 'lineType') return 'invoiceLineAggLineType';
  return name === 'taxType' ? 'taxBufferType' : type + capitalize(name);
}

/** The navigation of the target that leads back. */
export function partnerOf(
  set: EntitySet,
  { from, by = 'documentId' }: Navigation,
  target: EntitySet,
): string | undefined {
  const back = target.navigations.filter((one) => one.target === set.name);
  const partner =
    from === undefined
      ? back.find((one) => one.from === by)
      : back.find((one) => one.from === undefined && (one.by ?? 'documentId') === from);
  return partner?.name;
}

const capitalize = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
