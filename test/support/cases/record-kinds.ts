import { fileURLToPath } from 'node:url';

/** A folder of declarations over sets of the sandbox: StaffMember over `employees`, Buyer over `customers`, Offer over `salesQuotes`. */
export const recordFiles = fileURLToPath(new URL('../../fixtures/records', import.meta.url));

/** A record type that can be read, written and watched; its fields by what they hold. */
export interface RecordKind {
  readonly type: string;
  /** Its fields of `Company`. */
  readonly one: string;
  readonly many: string;
  /** Its member of `RecordType`. */
  readonly member: string;
  readonly first: string;
  readonly last: string;
  readonly city: string;
  readonly status: string;
  /** Members of the sort enum for the same fields. */
  readonly sorts: Readonly<Record<'last' | 'city', string>>;
}

type OriginAndKind = readonly [origin: string, kind: RecordKind];

/** The same entity set as a type of the product, and as one of RECORD_TYPES whose fields have other names than the columns. */
export const recordKinds: readonly [ofProduct: OriginAndKind, fromFile: OriginAndKind] = [
  [
    'of the product',
    {
      type: 'Employee',
      one: 'employee',
      many: 'employees',
      member: 'EMPLOYEE',
      first: 'givenName',
      last: 'surname',
      city: 'city',
      status: 'status',
      sorts: { last: 'SURNAME', city: 'CITY' },
    },
  ],
  [
    'from a file',
    {
      type: 'StaffMember',
      one: 'staffMember',
      many: 'staffMembers',
      member: 'STAFF_MEMBER',
      first: 'firstName',
      last: 'lastName',
      city: 'town',
      status: 'position',
      sorts: { last: 'LAST_NAME', city: 'TOWN' },
    },
  ],
];
