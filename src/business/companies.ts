import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import type { RecordOf, RecordSet } from './records.ts';

/** The document names companies only in paths; their fields are the real service's (docs/upstream.md). */
const companies = {
  type: 'Company',
  entitySet: 'companies',
  apiVersion: 'v2.0',
  fields: {
    id: 'uuid',
    name: 'text',
    displayName: 'text',
    systemVersion: 'text',
    timestamp: 'safeInt',
    businessProfileId: 'text',
    systemCreatedAt: 'dateTime',
    systemCreatedBy: 'uuid',
    systemModifiedAt: 'dateTime',
    systemModifiedBy: 'uuid',
  },
} as const satisfies RecordSet;

type ReadCompany = RecordOf<(typeof companies)['fields']>;

/** A company that may not have been read yet: its id alone is enough to read its records. */
export type CompanyRecord = Pick<ReadCompany, 'id'> & Partial<ReadCompany>;

type OwnField = Exclude<keyof (typeof companies)['fields'], 'id'>;

const ownFields = Object.keys(companies.fields).filter((name) => name !== 'id');

/** A field of the company itself: read with the others that are selected, unless it came with a list. */
function ownField<Name extends OwnField>(name: Name) {
  return async (
    company: CompanyRecord,
    _args: unknown,
    { business }: Context,
  ): Promise<ReadCompany[Name] | null> => {
    const known = company[name];
    if (known !== undefined) return known as ReadCompany[Name];
    const record = await business.load(companies, null, company.id);
    return record?.[name] ?? null;
  };
}

export const companyResolvers: Resolvers = {
  Query: {
    companies: (_root, page, { business }) => business.list(companies, null, page),
    company: (_root, { id }, { business }) => ({ id: business.companyId(id) }),
  },
  Company: {
    // Where nothing of its own is selected, a router only passes through to the records.
    __resolveReference: ({ id }, { business }) =>
      ownFields.some((name) => business.selection.fields('Company').has(name))
        ? business.load(companies, null, id)
        : { id },
    name: ownField('name'),
    displayName: ownField('displayName'),
    systemVersion: ownField('systemVersion'),
    timestamp: ownField('timestamp'),
    businessProfileId: ownField('businessProfileId'),
    systemCreatedAt: ownField('systemCreatedAt'),
    systemCreatedBy: ownField('systemCreatedBy'),
    systemModifiedAt: ownField('systemModifiedAt'),
    systemModifiedBy: ownField('systemModifiedBy'),
  },
};
