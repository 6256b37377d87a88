import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import type { PageArguments } from './business.ts';
import type { Fields, RecordOf, RecordSet } from './records.ts';

type Company = { readonly id: string };
type Keys = { readonly companyId: string; readonly id: string };

/** What every record set offers: one record and a list below its company, itself as an entity, its company. */
export function recordResolvers(
  set: RecordSet,
  one: string,
  many: string,
): Resolvers & Required<Pick<Resolvers, 'Company'>> {
  return {
    Company: {
      [one]: ({ id: companyId }: Company, { id }: Keys, { business }: Context) =>
        business.load(set, companyId, id),
      [many]: ({ id: companyId }: Company, page: PageArguments, { business }: Context) =>
        business.list(set, companyId, page),
    },
    [set.type]: {
      __resolveReference: ({ companyId, id }: Keys, { business }: Context) =>
        business.load(set, companyId, id),
      company: ({ companyId }: Keys) => ({ id: companyId }),
    },
  };
}

type Named<Field extends string, IdField extends string, Target> = { readonly companyId: string } & {
  readonly [Name in IdField]?: string | null;
} & { readonly [Name in Field]?: Target | null | undefined };

/** Resolves a field that leads to one record: the one that came by `$expand`, else the one its id names. */
export function reference<Field extends string, IdField extends string, F extends Fields>(
  field: Field,
  idField: IdField,
  set: RecordSet<F>,
) {
  return (
    record: Named<Field, IdField, RecordOf<F>>,
    _args: unknown,
    { business }: Context,
  ): RecordOf<F> | null | Promise<RecordOf<F> | null> => {
    const expanded = record[field];
    if (expanded !== undefined) return expanded;
    const id = record[idField];
    return id == null ? null : business.load(set, record.companyId, id);
  };
}
