import type { GraphQLResolveInfo } from 'graphql';
import type { Resolvers } from '../generated/graphql.ts';
import type { Context } from '../graph/context.ts';
import { isCompanyMissing } from '../http/absence.ts';
import type { Business, PageArguments } from './business.ts';
import { type RecordKey, type RecordSet, type RowShape, toUpstreamNumber } from './record-set.ts';
import type { RecordNames, RecordTypeDescriptor } from './record-type.ts';
import { createLineMutations } from './writing/line-mutations.ts';
import { createBatchMutation, createMutations, writeNames } from './writing/mutations.ts';

type CompanyParent = { readonly id: string };
/** By one key or the other; only a type with numbers has the second. */
type RecordReference = { readonly companyId: string; readonly id?: string; readonly number: string };
type RecordKeys = { readonly companyId: string; readonly id: string };

/** The resolvers of a record type: those its descriptor implies, then its own, which replace them by name. */
export function resolversOf(recordType: RecordTypeDescriptor): readonly Resolvers[] {
  const { names, resolvers } = recordType;
  return [
    ...(names ? [recordResolvers(recordType, names), mutationResolvers(recordType, names)] : []),
    ...(resolvers ? [resolvers()] : []),
  ];
}

/** The resolver of changes of any record type. */
export const batchResolvers = (recordTypes: readonly RecordTypeDescriptor[]) =>
  ({ Mutation: { batch: createBatchMutation(recordTypes) } }) as Resolvers;

/** Loads one record of a type, with everything that the selection needs. */
export const loadRecord = (
  recordType: RecordTypeDescriptor,
  business: Business,
  companyId: string,
  key: RecordKey,
): Promise<object | null> => {
  if (recordType.load) return recordType.load(business, companyId, key);
  return 'id' in key
    ? business.load(recordType, companyId, key.id)
    : business.loadByNumber(recordType, companyId, key.number);
};

/** A key names a record with its company: where there is no company, there is no record. */
function nullIfCompanyMissing(failure: unknown): null {
  if (isCompanyMissing(failure)) return null;
  throw failure;
}

function recordResolvers(recordType: RecordTypeDescriptor, { one, many, byNumber }: RecordNames): Resolvers {
  const owned = Object.entries(recordType.listedBy ?? {}).map(([owner, column]) => [
    owner,
    {
      [many]: (
        { companyId, id }: RecordKeys,
        page: PageArguments,
        { business }: Context,
        info: GraphQLResolveInfo,
      ) => business.list(recordType, companyId, page, info, { [column]: id }),
    },
  ]);
  const rows = Object.values(recordType.relations ?? {})
    .filter(({ isMany }) => isMany)
    .map(({ target }) => [target.type, relationResolvers(target)]);
  return {
    ...Object.fromEntries([...owned, ...rows]),
    Company: {
      [one]: ({ id: companyId }: CompanyParent, { id }: RecordKeys, context: Context) =>
        loadRecord(recordType, context.business, companyId, { id }),
      ...(byNumber && {
        [byNumber]: ({ id: companyId }: CompanyParent, { number }: { number: string }, context: Context) =>
          loadRecord(recordType, context.business, companyId, { number: toUpstreamNumber(number) }),
      }),
      [many]: (
        { id: companyId }: CompanyParent,
        page: PageArguments,
        { business }: Context,
        info: GraphQLResolveInfo,
      ) => business.list(recordType, companyId, page, info),
    },
    [recordType.type]: {
      __resolveReference: ({ companyId, id, number }: RecordReference, context: Context) =>
        loadRecord(
          recordType,
          context.business,
          companyId,
          id == null ? { number: toUpstreamNumber(number) } : { id },
        ).catch(nullIfCompanyMissing),
      company: ({ companyId }: RecordKeys) => ({ id: companyId }),
      ...relationResolvers(recordType),
    },
  };
}

/** The fields that lead to one record: it came by `$expand`, or the row holds its id. */
function relationResolvers({ relations = {} }: RowShape) {
  return Object.fromEntries(
    Object.entries(relations).flatMap(([field, { target, idColumn }]) =>
      idColumn && 'entitySet' in target
        ? [[field, createReferenceResolver(field, idColumn, target as RecordSet)]]
        : [],
    ),
  );
}

function mutationResolvers(recordType: RecordTypeDescriptor, names: RecordNames): Resolvers {
  const fields = (recordType.writes ?? []).flatMap((write) => {
    const mutations = createMutations(recordType, write, names.one);
    const { single, bulk } = writeNames(write, names);
    return [
      [single, mutations.single],
      [bulk, mutations.bulk],
    ];
  });
  return { Mutation: { ...Object.fromEntries(fields), ...createLineMutations(recordType, names) } };
}

/** Resolves a field that leads to one record: the one that came by `$expand`, else the one its id names. */
function createReferenceResolver(field: string, idColumn: string, target: RecordSet) {
  return (record: Readonly<Record<string, unknown>>, _args: unknown, { business }: Context) => {
    const expanded = record[field];
    if (expanded) return expanded;
    // An expansion that is null beside an id says nothing about the record (docs/upstream.md).
    const id = record[idColumn];
    return id == null ? null : business.load(target, record.companyId as string, id as string);
  };
}
