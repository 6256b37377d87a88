import { asUpstreamError } from '../../errors.ts';
import type { Resolvers } from '../../generated/graphql.ts';
import type { Context } from '../../graph/context.ts';
import { type SelectedObject, selectMore, selectNothing } from '../../graph/selected-object.ts';
import { isCompanyMissing } from '../../http/absence.ts';
import type { Business } from '../business.ts';
import type { RecordOf, RecordSet } from '../record-set.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';

/** The source document names companies only in paths; their fields are the real service's (docs/upstream.md). */
export const companies = {
  type: 'Company',
  entitySet: 'companies',
  route: 'v2.0',
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
  list: { one: 'a company', many: 'companies' },
  resolvers: (): Resolvers => ({
    Query: {
      companies: (_root, page, { business }, { selected }) => business.list(companies, null, page, selected),
      company: (_root, { id }, { business }, { selected }) =>
        findCompany(business, business.companyId(id), selected),
    },
    Company: {
      __resolveReference: ({ id }, { business }) =>
        findCompany(business, id, business.selection.ofType('Company')),
      homeCurrencyCode: ({ id }, _args, { business }) => loadHomeCurrencyCode(business, id),
      ...Object.fromEntries(companyFieldNames.map((name) => [name, resolveCompanyField(name)])),
    },
  }),
} as const satisfies RecordTypeDescriptor;

type ReadCompany = RecordOf<(typeof companies)['fields']>;

/** A company that may not have been read yet: its id alone is enough to read its records. */
export type CompanyRecord = Pick<ReadCompany, 'id'> & Partial<ReadCompany>;

type CompanyField = Exclude<keyof (typeof companies)['fields'], 'id'>;

const companyFieldNames = Object.keys(companies.fields).filter((name) => name !== 'id') as CompanyField[];

const ownFields = new Set<string>(['__typename', 'nodeId', ...Object.keys(companies.fields)]);

// What is known of a company without reading it.
const keyFields = new Set<string>(['__typename', 'nodeId', 'id']);

/**
 * A company; null if there is none. Where its records are selected, it is not read first, which would make them wait:
 * their fields then fail if there is no such company. The read of its home currency shows as well whether there is one.
 */
async function findCompany(
  business: Business,
  id: string,
  { fields }: SelectedObject,
): Promise<CompanyRecord | null> {
  const others = [...fields].filter((name) => name !== 'homeCurrencyCode');
  if (fields.size === 0 || !others.every((name) => ownFields.has(name))) return { id };
  const readsCurrency = fields.has('homeCurrencyCode') && business.dialect.hasCompanyInformation;
  const failure = readsCurrency ? loadHomeCurrencyCode(business, id).then(() => null, asUpstreamError) : null;
  if (!failure || !others.every((name) => keyFields.has(name))) return business.load(companies, null, id);
  const currencyFailure = await failure;
  return currencyFailure && isCompanyMissing(currencyFailure) ? null : { id };
}

/** A field of the company itself: read with the others that are selected, unless it came with a list. */
function resolveCompanyField(name: CompanyField) {
  return async (company: CompanyRecord, _args: unknown, { business }: Context): Promise<unknown> => {
    const known = company[name];
    if (known !== undefined) return known;
    const record = await business.load(companies, null, company.id);
    return record?.[name] ?? null;
  };
}

const companyInformation = {
  type: 'CompanyInformation',
  entitySet: 'companyInformation',
  route: 'v2.0',
  fields: { id: 'uuid', currencyCode: 'code' },
} as const satisfies RecordSet;

const selectCurrencyCode = selectMore(selectNothing, ['currencyCode']);

/** The code of a company's home currency; null where the dialect has none, without a call. */
async function loadHomeCurrencyCode(business: Business, companyId: string): Promise<string | null> {
  if (!business.dialect.hasCompanyInformation) return null;
  const record = await business.loadOnly(business.plan(companyInformation, selectCurrencyCode), companyId);
  return record?.currencyCode ?? null;
}
