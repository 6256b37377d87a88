import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { derivedGuid } from '../../../sandbox/seeded.ts';
import { productRecordTypes, readSchemaFiles } from '../../../src/app/schema/product-record-types.ts';
import { collectDeclarations, columnsOf } from '../../../src/business/declarations/declarations.ts';

/** What a record, or an input, holds by its fields. */
export type Values = Readonly<Record<string, unknown>>;

/** One kind of record that can be written. */
export interface WrittenKind {
  readonly type: string;
  /** The fields of one record, in payloads too, and of the list. */
  readonly field: string;
  readonly list: string;
  readonly writes: readonly ('create' | 'update' | 'delete')[];
  /** By field, the name under which it is sent, where it has another. */
  readonly columns: Readonly<Record<string, string>>;
  /** The field of its lines; absent for a record without lines. */
  readonly lines?: string;
  /** An item that a line can be of. */
  readonly item: Values;
  /** What a create needs. */
  readonly least: Values;
  /** What always has a value, so that the upstream refuses to clear it. */
  readonly keeps: readonly string[];
  /** Fields that this upstream rejects in every input, as its number series or settings assign them. */
  readonly refuses?: readonly string[];
  /** What is copied from the record that a field names: the field, and what follows it. */
  readonly copies?: readonly (readonly [from: RegExp, fields: RegExp])[];
  /** The fields that each write takes, by the declaration. */
  readonly declared: Readonly<Record<'create' | 'update', readonly string[]>>;
}

type Particulars = Pick<WrittenKind, 'least' | 'keeps' | 'refuses' | 'copies'> & { readonly item?: Values };

const seededId = (set: string, index: number) => derivedGuid(`${sandboxCompanyId}:${set}:${index}`);

const ofCustomers: NonNullable<WrittenKind['copies']> = [
  [
    /^customer/,
    /^(billToCustomer|(sell|bill|ship)To(Address|City|Country|State|Post)|shipToName|currency|paymentTerms|shipmentMethod|salesperson|phoneNumber|email)/,
  ],
  [/^billToCustomer/, /^billTo(Address|City|Country|State|Post)/],
];

const ofDocuments: Particulars = {
  least: { customerNumber: 'C10000' },
  keeps: ['customerId', 'customerNumber', 'billToCustomerId', 'billToCustomerNumber'],
  refuses: ['number'],
  copies: ofCustomers,
};

const ofPurchases: Particulars = {
  least: { vendorId: seededId('vendors', 0) },
  keeps: ['vendorId', 'payToVendorId'],
  item: { itemId: seededId('items', 2) },
  copies: [[/^vendorId$/, /^(payToVendor|buyFrom|currency|paymentTerms)/]],
};

const particulars: Readonly<Record<string, Particulars>> = {
  Customer: { least: { displayName: 'Fram' }, keeps: ['number', 'displayName'] },
  SalesOrder: ofDocuments,
  // Its lines are sent with the id of an item: a number would be looked up (docs/dialects.md).
  SalesQuote: { ...ofDocuments, item: { itemId: seededId('items', 2) } },
  SalesInvoice: ofDocuments,
  SalesCreditMemo: ofDocuments,
  PurchaseInvoice: ofPurchases,
  CompanyInformation: { least: {}, keeps: [] },
  Contact: { least: { displayName: 'Fram' }, keeps: ['number', 'displayName'] },
  PurchaseOrder: ofPurchases,
  Vendor: { least: { displayName: 'Fram' }, keeps: ['number', 'displayName'] },
};

const { recordTypes } = productRecordTypes();
/** The declarations of the product, by type. */
export const declaredTypes = collectDeclarations(readSchemaFiles()).types;

/**
 * Every record type that can be created or updated, but attachments, whose few fields have tests of
 * their own. Where one needs more than the others to be created, `particulars` says what.
 */
export const writtenKinds: readonly WrittenKind[] = recordTypes.flatMap(
  ({ type, names, writes = [], relations = {}, columnNames = {} }): readonly WrittenKind[] => {
    if (!names || type === 'DocumentAttachment') return [];
    if (!writes.includes('create') && !writes.includes('update')) return [];
    const lines = Object.keys(relations).find((field) => relations[field]?.isMany);
    const own = particulars[type] ?? { least: {}, keeps: ['number'] };
    const columns = columnsOf(declaredTypes.get(type) ?? { fields: [] });
    const declared = (write: 'CREATE' | 'UPDATE') =>
      columns.filter(({ column }) => column.write.includes(write)).map(({ name }) => name);
    return [
      {
        type,
        field: names.one,
        list: names.many,
        writes,
        columns: columnNames,
        ...(lines && { lines }),
        item: { lineType: 'Item', itemNo: '1004' },
        ...own,
        declared: { create: declared('CREATE'), update: declared('UPDATE') },
      },
    ];
  },
);
