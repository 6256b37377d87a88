import { asUpstreamError } from '../../errors.ts';
import type { Resolvers } from '../../generated/graphql.ts';
import type { Context } from '../../graph/context.ts';
import { type SelectedObject, selectMore, selectNothing } from '../../graph/selected-object.ts';
import { isCompanyMissing } from '../../http/absence.ts';
import type { RecordSet } from '../record-sets/record-set.ts';
import type { Business } from './business.ts';

/** A company. Its fields may be unread: the id is enough to read its records. */
export type CompanyRecord = { readonly id: string; readonly [field: string]: unknown };

/** The source document has companies only in paths, so their fields follow the real service (docs/upstream.md). */
export function companyResolvers(companies: RecordSet): Resolvers {
  const columns = Object.keys(companies.fields).filter((name) => !keyFields.has(name));
  const columnsAndKeys: ReadonlySet<string> = new Set([...keyFields, ...columns]);
  const find = (business: Business, id: string, selected: SelectedObject) =>
    findCompany(business, companies, columnsAndKeys, id, selected);
  return {
    Query: {
      companies: (_root, page, { business }, { selected }) => business.list(companies, null, page, selected),
      company: (_root, { id }, { business }, { selected }) =>
        find(business, business.companyId(id), selected),
    },
    Company: {
      __resolveReference: ({ id }, { business }) => find(business, id, business.selection.ofType('Company')),
      homeCurrencyCode: ({ id }, _args, { business }) => loadHomeCurrencyCode(business, id),
      ...Object.fromEntries(columns.map((name) => [name, createColumnResolver(companies, name)])),
    },
  };
}

// The fields that need no read.
const keyFields: ReadonlySet<string> = new Set(['__typename', 'nodeId', 'id']);

/**
 * Finds a company; null if it does not exist. A company whose records are selected is not read, so that the records need not
 * wait; their fields fail if it does not exist. A read of the home currency also shows whether the company exists.
 */
function findCompany(
  business: Business,
  companies: RecordSet,
  columnsAndKeys: ReadonlySet<string>,
  id: string,
  { fields }: SelectedObject,
): CompanyRecord | Promise<CompanyRecord | null> {
  const others = [...fields].filter((name) => name !== 'homeCurrencyCode');
  if (fields.size === 0 || !others.every((name) => columnsAndKeys.has(name))) return { id };
  const readsCurrency = fields.has('homeCurrencyCode');
  const failure = readsCurrency ? loadHomeCurrencyCode(business, id).then(() => null, asUpstreamError) : null;
  if (!failure || !others.every((name) => keyFields.has(name))) return business.load(companies, null, id);
  return failure.then((missing) => (missing && isCompanyMissing(missing) ? null : { id }));
}

/** Resolves a column of a company. Loads it, with the other selected columns, unless a list has read it. */
function createColumnResolver(companies: RecordSet, name: string) {
  return async (company: CompanyRecord, _args: unknown, { business }: Context): Promise<unknown> => {
    const known = company[name];
    if (known !== undefined) return known;
    const record = await business.load(companies, null, company.id);
    return record?.[name] ?? null;
  };
}

const selectCurrencyCode = selectMore(selectNothing, ['currencyCode']);

async function loadHomeCurrencyCode(business: Business, companyId: string): Promise<string | null> {
  const record = await business.loadOnly(
    business.plan(business.setOf('CompanyInformation'), selectCurrencyCode),
    companyId,
  );
  return (record?.currencyCode as string | null | undefined) ?? null;
}
