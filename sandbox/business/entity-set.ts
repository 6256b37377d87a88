import type { ExactNumber } from '../json.ts';
import type { Random } from '../seeded.ts';

/** The type of a field. `lines` and `object` are read-only and cannot be filtered or sorted by. */
export type FieldKind =
  | 'guid'
  | 'text'
  | 'code'
  | 'choice'
  | 'boolean'
  | 'integer'
  | 'decimal'
  | 'date'
  | 'dateTime'
  | 'lines'
  | 'object';

/** A field of an entity set. */
export interface SetField {
  readonly name: string;
  readonly kind: FieldKind;
  readonly maxLength?: number;
  readonly choices?: readonly string[];
  readonly isReadOnly?: boolean;
  /** Computed for each response, so that some services cannot filter or sort by it. */
  readonly isComputed?: boolean;
  /** Converts a stored value to its form in responses, where a dialect has a form of its own. */
  readonly toWire?: (value: FieldValue) => FieldValue;
}

/** A navigation property: to one record, to the lines of a record, or to the records that refer to it. */
export interface Navigation {
  readonly name: string;
  readonly target: string;
  /** To one record: the GUID field that refers to it. */
  readonly from?: string;
  /** To many records that are not lines: their field with the id of this record. */
  readonly by?: string;
  /** For what only the document has: its lines under another name, and relations that the real service lacks. */
  readonly isOnlyInDocument?: true;
}

/**
 * Fields that refer to a record of another set, by id and by code. Writing one sets the other (A, update rule
 * 1). `copies` are further fields that are copied from the target.
 */
export interface RecordReference {
  readonly idField: string;
  readonly target: string;
  readonly codeField?: string;
  /** The field of the target that `codeField` contains. */
  readonly key?: string;
  readonly copies?: Readonly<Record<string, string>>;
  /** The target's name in messages. */
  readonly caption: string;
  readonly isRequired?: boolean;
}

/** An entity set of area A: everything the sandbox knows of one type of record. */
export interface EntitySet {
  readonly name: string;
  readonly typeName: string;
  readonly fields: readonly SetField[];
  readonly navigations: readonly Navigation[];
  readonly references: readonly RecordReference[];
  /** Where it is served; left out for the standard API. */
  readonly route?: string;
  /** False for companies only (gap: see docs/upstream.md). */
  readonly hasEtag: boolean;
  /** False for a set that is reached by `$expand` only. */
  readonly hasAddress: boolean;
  /** Whether callers can subscribe to its changes, as on the real service. */
  readonly isSubscribable: boolean;
  /** The allowed write methods. Empty for a read-only set. */
  readonly writes: readonly ('POST' | 'PATCH' | 'DELETE')[];
  /** The files of each record, and its actions without their namespace. */
  readonly files?: readonly FileName[];
  readonly actions?: readonly string[];
  /** For a set of lines: the set whose records hold them. */
  readonly linesOf?: string;
  readonly numberSeries?: NumberSeries;
  /** Field values of a new record that the caller leaves out. */
  readonly createDefaults?: (given: RecordValues, company: Company) => RecordValues;
  /** Throws an `ApiError` for well-formed values that the business rules reject. `isNew` is true for a create. */
  readonly validate?: (values: RecordValues, isNew: boolean, company: Company) => void;
  /** Computes values from other values of the record. */
  readonly derive?: (values: RecordValues) => RecordValues;
  /** For orders and quotes: how they are created and recalculated. */
  readonly document?: OrderDocument;
  /** For a set that is computed at each read: a record of the set `from` gives one with the same id and entity tag. */
  readonly computation?: {
    readonly from: string;
    readonly values: (company: Company, source: RecordValues) => RecordValues;
  };
  readonly seed?: SetSeed;
}

export interface NumberSeries {
  readonly name: string;
  readonly prefix: string;
  readonly first: number;
  readonly step: number;
  readonly digits: number;
  /** Whether callers may choose numbers. */
  readonly isManual: boolean;
}

/**
 * Who a document is for and who pays it: customers of sales, vendors of purchases. Their names, addresses, terms and
 * taxes are copied to the document.
 */
export interface DocumentParty {
  readonly set: 'customers' | 'vendors';
  /** The fields of a document that refer to the party, and to who pays. */
  readonly idField: string;
  readonly numberField: string;
  readonly payerIdField: string;
  /** By field of a document, the field of the party or the payer that it is copied from. */
  readonly fields: Readonly<Record<string, string>>;
  readonly payerFields: Readonly<Record<string, string>>;
  /** The field of a line with the price of a unit, and the field of an item that it is copied from. */
  readonly priceField: string;
  readonly itemPriceField: string;
  /** The table of the lines, in messages. */
  readonly lineTable: string;
}

/** An order, a quote, an invoice or a credit memo. */
export interface OrderDocument {
  /** Its name in messages. */
  readonly caption: string;
  /** For invoices and credit memos: what the numbers of drafts begin with. Only a draft can be changed or deleted. */
  readonly draftPrefix?: string;
  readonly party: DocumentParty;
  readonly lines: EntitySet;
  /** Header values of a document created on a day, before those of the party and the caller. */
  readonly defaults: (today: string, company: Company) => RecordValues;
  readonly lineDefaults: (header: RecordValues, given: RecordValues) => RecordValues;
  /** Header values that follow from the others unless the caller gives them. */
  readonly derive?: (header: RecordValues, company: Company) => RecordValues;
}

/** A stored record. Only `Store.change` modifies it. */
export interface StoredRecord {
  values: RecordValues;
  etag: string;
  /** Number of writes, including the create. */
  version: number;
  /** Lines of an order or quote by their numbers. Empty for other records. */
  lines: readonly StoredRecord[];
}

/** A company with its records. */
export interface Company {
  readonly record: StoredRecord;
  readonly localCurrency: string;
  /** The records by entity set and id. */
  readonly sets: Map<string, Map<string, StoredRecord>>;
  /** Files that were uploaded, by the entity set and id of their record. */
  readonly files: Map<string, Uint8Array>;
  /** How many numbers of a series were used, by the name of the series. */
  readonly seriesCounters: Map<string, number>;
}

/** The records that a company has at the start. */
export interface SetSeed {
  /** How many the first company has, and each of the others. */
  readonly counts: readonly [first: number, others: number];
  /** The record at an index; undefined where the company has none. Must be the same for the same random numbers. */
  record(context: SeedContext, index: number): SeedRecord | undefined;
}

export interface SeedContext {
  readonly set: EntitySet;
  readonly company: Company;
  readonly random: Random;
}

export interface SeedRecord {
  /** Of fields left out, the id and the number follow from the index; others are unset. */
  readonly values: RecordValues;
  readonly lines?: readonly RecordValues[];
}

const readOnly = { isReadOnly: true } as const;
const computed = { isComputed: true } as const;

/**
 * Fields written as `number code 20 readonly, status [Draft|Open], ...`: a name, a kind or the words of a choice, the
 * length of a text or code, and its rules. An `address` is six fields whose names begin with its own.
 */
export function fieldsOf(text: string): SetField[] {
  return text.split(',').flatMap((field) => {
    const [, name = '', words, kind = 'choice', rules = ''] =
      /^\s*(\w+)\s+(?:\[(.*)\]|(\w+))(.*)$/s.exec(field) ?? [];
    if (kind === 'address') return addressFields(name, rules);
    const [length] = /\d+/.exec(rules) ?? [];
    return {
      name,
      kind: kind as FieldKind,
      ...(words !== undefined && { choices: words.split('|') }),
      ...(length !== undefined && { maxLength: Number(length) }),
      ...((rules.includes('readonly') || kind === 'dateTime') && readOnly),
      ...(rules.includes('computed') && computed),
    };
  });
}

const addressFields = (prefix: string, rules: string): SetField[] =>
  fieldsOf(`
    ${prefix}AddressLine1 text 100 ${rules}, ${prefix}AddressLine2 text 50 ${rules},
    ${prefix}City text 30 ${rules}, ${prefix}Country code 10 ${rules},
    ${prefix}State text 30 ${rules}, ${prefix}PostCode code 20 ${rules}
  `);

/** The fields of an address of customers, vendors, contacts, employees and companies. */
export const postalAddress = `
  addressLine1 text 100, addressLine2 text 50, city text 30, state text 30, country code 10,
  postalCode code 20
`;

/** A set with the most common properties: it has an entity tag and an address, and is read-only. */
export function entitySet(
  name: string,
  typeName: string,
  rest: Partial<EntitySet> & Pick<EntitySet, 'fields'>,
): EntitySet {
  return {
    name,
    typeName,
    navigations: [],
    references: [],
    hasEtag: true,
    hasAddress: true,
    isSubscribable: false,
    writes: [],
    ...rest,
  };
}

/** A value of a stored record. Amounts the sandbox calculates are plain numbers with at most two decimals. */
export type FieldValue = string | number | boolean | ExactNumber;

/** The fields of one record by name. Immutable: a write stores new values. */
export type RecordValues = Readonly<Record<string, FieldValue>>;

/** How the document writes "unset" (Conventions for A). */
export const unsetGuid = '00000000-0000-0000-0000-000000000000';
export const unsetDate = '0001-01-01';
/** `blocked` is a single space while the customer is not blocked (States, customer). */
export const notBlocked = ' ';

/** True for a value that the document writes for "unset". Numbers and booleans are never unset. */
export function isBlank(value: unknown): boolean {
  return (
    value === '' ||
    value === notBlocked ||
    value === unsetGuid ||
    (typeof value === 'string' && value.startsWith(unsetDate))
  );
}

/** A file that belongs to a record, as the upstream names it. */
export type FileName = 'picture' | 'pdfDocument' | 'attachmentContent' | 'logo';

/** The standard API, and its version before (Versioning). */
export const standardRoute = 'v2.0';
export const v1Route = 'v1.0';

/** An API of its own, as a partner installs beside the standard one: `{publisher}/{group}/{version}`. */
export const customRoute = 'contoso/app/v1.0';
