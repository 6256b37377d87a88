/** What a value is, by the conventions for A. */
export type Kind = 'guid' | 'text' | 'boolean' | 'number' | 'integer' | 'date' | 'dateTime';

type Fields = Readonly<Partial<Record<Kind, string>>>;

/** A1, A2, A4 (without its lines) and A5. */
export const documentedSets: Readonly<Record<string, Fields>> = {
  customers: {
    guid: 'id taxAreaId currencyId paymentTermsId shipmentMethodId paymentMethodId',
    text: 'number displayName type addressLine1 addressLine2 city state country postalCode phoneNumber email website taxAreaDisplayName taxRegistrationNumber currencyCode blocked',
    boolean: 'taxLiable',
    dateTime: 'lastModifiedDateTime',
  },
  items: {
    guid: 'id itemCategoryId taxGroupId baseUnitOfMeasureId',
    text: 'number displayName type itemCategoryCode gtin taxGroupCode baseUnitOfMeasureCode',
    boolean: 'blocked priceIncludesTax',
    number: 'inventory unitPrice unitCost',
    dateTime: 'lastModifiedDateTime',
  },
  salesOrders: {
    guid: 'id customerId billToCustomerId currencyId paymentTermsId shipmentMethodId',
    text: 'number externalDocumentNumber customerNumber billToCustomerNumber customerName billToName shipToName sellToAddressLine1 billToAddressLine1 shipToAddressLine1 shortcutDimension1Code shortcutDimension2Code currencyCode salesperson status phoneNumber email',
    date: 'orderDate postingDate requestedDeliveryDate',
    boolean: 'pricesIncludeTax partialShipping discountAppliedBeforeTax fullyShipped',
    number: 'discountAmount totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax',
    dateTime: 'lastModifiedDateTime',
  },
  employees: {
    guid: 'id',
    text: 'number displayName givenName middleName surname jobTitle addressLine1 addressLine2 city state country postalCode phoneNumber mobilePhone email personalEmail status statisticsGroupCode',
    date: 'employmentDate terminationDate birthDate',
    dateTime: 'lastModifiedDateTime',
  },
};

/** A3, without its unit and category. */
export const itemV1Fields: Fields = {
  guid: 'id baseUnitOfMeasureId taxGroupId',
  text: 'number displayName type gtin taxGroupCode',
  boolean: 'blocked priceIncludesTax',
  number: 'inventory unitPrice unitCost',
  dateTime: 'lastModifiedDateTime',
};

/** The lines of an order: the real service has other names for the number of a line and for its item. */
export const lineFields: Readonly<Record<'document' | 'dynamics', Fields>> = {
  document: { text: 'lineType itemNo unitOfMeasureCode', integer: 'lineNo', number: 'quantity' },
  dynamics: {
    guid: 'id documentId itemId',
    text: 'lineType lineObjectNumber unitOfMeasureCode',
    integer: 'sequence',
    number: 'quantity',
  },
};

const isOfKind: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  guid: (value) => matches(value, /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i),
  text: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: Number.isInteger,
  date: (value) => matches(value, /^\d{4}-\d\d-\d\d$/),
  dateTime: (value) => matches(value, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,3})?Z$/),
};

/** The names of all fields. */
export const namesOf = (fields: Fields): string[] => Object.values(fields).flatMap((list) => list.split(' '));

/** What is wrong with a record, by its documented fields; undefined when nothing is. */
export function mistakeIn(record: Readonly<Record<string, unknown>>, fields: Fields): string | undefined {
  for (const kind of Object.keys(fields) as Kind[]) {
    for (const name of fields[kind]?.split(' ') ?? []) {
      if (!(name in record)) return `'${name}' is missing`;
      if (!isOfKind[kind](record[name]))
        return `'${name}' is ${JSON.stringify(record[name])}, which is no ${kind}`;
    }
  }
  return undefined;
}

function matches(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}
