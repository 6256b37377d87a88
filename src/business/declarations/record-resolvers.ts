import type { Resolvers } from '../../generated/graphql.ts';
import type { Context } from '../../graph/context.ts';
import type { FieldInfo } from '../../graph/selection.ts';
import { isCompanyMissing } from '../../http/absence.ts';
import { badResponseError } from '../../http/errors.ts';
import { createActionMutations } from '../mutations/actions.ts';
import {
  createBatchMutation,
  createLineMutations,
  createMutation,
  writeName,
} from '../mutations/mutations.ts';
import { describeFile } from '../reading/files.ts';
import { type RowShape, toUpstreamCode } from '../record-sets/record-set.ts';
import type { Business, PageArguments } from '../records/business.ts';
import { companyResolvers } from '../records/companies.ts';
import {
  loadRecord,
  type OwnerColumns,
  type RecordNames,
  type RecordTypeDescriptor,
} from '../records/record-type.ts';
import type { OwnedList } from './record-types.ts';

type CompanyParent = { readonly id: string };
/** A federation key has an id or a number; only some types have numbers. */
type EntityKeys = { readonly companyId: string; readonly id?: string; readonly number: string };
type RecordKeys = { readonly companyId: string; readonly id: string };

/** Derives the resolvers of a record type from its descriptor. */
export function resolversOf(recordType: RecordTypeDescriptor): readonly Resolvers[] {
  const { names } = recordType;
  return names
    ? [recordResolvers(recordType, names), mutationResolvers(recordType, names)]
    : [companyResolvers(recordType)];
}

/** The resolver of a list of records that belong to a record of another type. */
export const listResolvers = ({ owner, field, listed, columns }: OwnedList): Resolvers => ({
  [owner]: {
    [field]: (
      record: Readonly<Record<string, string>>,
      page: PageArguments,
      { business }: Context,
      { selected }: FieldInfo,
    ) => business.list(listed, record.companyId as string, page, selected, valuesOf(record, columns)),
  },
});

/** The resolvers that need all record types: `batch`, and actions, whose results have other types. */
export const crossTypeResolvers = (recordTypes: readonly RecordTypeDescriptor[]) =>
  ({
    Mutation: { batch: createBatchMutation(recordTypes), ...createActionMutations(recordTypes) },
  }) as Resolvers;

/** A federation key includes the company, so a missing company means a missing record. */
function nullIfCompanyMissing(failure: unknown): null {
  if (isCompanyMissing(failure)) return null;
  throw failure;
}

function recordResolvers(recordType: RecordTypeDescriptor, { one, many, byNumber }: RecordNames): Resolvers {
  const rowResolvers = Object.values(recordType.relations ?? {})
    // Record types have resolvers of their own.
    .filter(({ isMany, target }) => isMany || !('names' in target))
    .map(({ target }) => [target.type, relationResolvers(target)]);
  return {
    ...Object.fromEntries(rowResolvers),
    Company: {
      [one]: ({ id: companyId }: CompanyParent, { id }: RecordKeys, context: Context) =>
        loadRecord(recordType, context.business, companyId, { id }),
      ...(byNumber && {
        [byNumber]: ({ id: companyId }: CompanyParent, { number }: { number: string }, context: Context) =>
          loadRecord(recordType, context.business, companyId, { number: toUpstreamCode(number) }),
      }),
      [many]: (
        { id: companyId }: CompanyParent,
        page: PageArguments,
        { business }: Context,
        { selected }: FieldInfo,
      ) => business.list(recordType, companyId, page, selected),
    },
    [recordType.type]: {
      __resolveReference: ({ companyId, id, number }: EntityKeys, context: Context) =>
        loadRecord(
          recordType,
          context.business,
          companyId,
          id == null ? { number: toUpstreamCode(number) } : { id },
        ).catch(nullIfCompanyMissing),
      company: fromRecord(({ companyId }: RecordKeys) => ({ id: companyId })),
      ...relationResolvers(recordType),
      ...fileResolvers(recordType),
    },
  };
}

function fileResolvers(recordType: RecordTypeDescriptor) {
  return Object.fromEntries(
    Object.entries(recordType.files).map(([field, file]) => [
      field,
      (record: RecordKeys, _args: unknown, { business }: Context) =>
        business.addressFile(describeFile(recordType, record, file)),
    ]),
  );
}

const valuesOf = (owner: Readonly<Record<string, string>>, columns: OwnerColumns) =>
  Object.fromEntries(
    Object.entries(columns).map(([column, source]) => [
      column,
      typeof source === 'string' ? (owner[source] ?? null) : source.is,
    ]),
  );

/** The resolvers of relations: to one record, expanded or by the id in the row; and to rows, which are always expanded. */
function relationResolvers({ relations = {} }: RowShape) {
  return Object.fromEntries(
    Object.entries(relations).flatMap(([field, { target, idColumn, isExpandedOnly, isMany }]) => {
      if (isMany) return [[field, createRowsResolver(field)]];
      return (idColumn || isExpandedOnly) && 'entitySet' in target
        ? [[field, createReferenceResolver(field, idColumn ?? null, target as RecordTypeDescriptor)]]
        : [];
    }),
  );
}

/** A field whose value is computed from its record alone. */
const fromRecord = (read: (record: RecordKeys) => unknown) => ({
  resolve: read,
  extensions: { readFromSource: read },
});

function mutationResolvers(recordType: RecordTypeDescriptor, names: RecordNames): Resolvers {
  const fields = recordType.writes.map((write) => [
    writeName(write, names),
    createMutation(recordType, write, names.one),
  ]);
  return { Mutation: { ...Object.fromEntries(fields), ...createLineMutations(recordType, names) } };
}

/** Resolves a relation to one record: the expanded record, otherwise a load by id. */
function createReferenceResolver(field: string, idColumn: string | null, target: RecordTypeDescriptor) {
  const { completeExpanded = (_business: Business, expanded: object) => expanded } = target.reference ?? {};
  const resolve = (
    record: Readonly<Record<string, unknown>>,
    _args: unknown,
    { business }: Context,
    { selected }: FieldInfo,
  ) => {
    const expanded = record[field];
    const complete = expanded && completeExpanded(business, expanded, selected);
    if (complete) return complete;
    // The value is undefined if the row was read without this column.
    if (idColumn === null || record[idColumn] === undefined) {
      if (expanded === null) return null;
      throw notExpandedError(field);
    }
    // An expansion that is null although the row has an id proves nothing about the record (docs/upstream.md).
    const id = record[idColumn];
    if (id instanceof Error) throw id;
    return id === null
      ? null
      : loadRecord(target, business, record.companyId as string, { id: id as string });
  };
  return target.reference ? resolve : { resolve, extensions: { isOnSource: true } };
}

/** Throws if the rows were not expanded: null would look like a record without rows. */
const createRowsResolver = (field: string) => (record: Readonly<Record<string, unknown>>) => {
  if (record[field] === undefined) throw notExpandedError(field);
  return record[field];
};

const notExpandedError = (field: string) =>
  badResponseError(
    'business',
    `The upstream did not expand \`${field}\`, or only a part of it, and nothing else leads to it.`,
  );
