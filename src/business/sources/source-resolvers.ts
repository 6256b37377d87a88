import type { GraphQLResolveInfo } from 'graphql';
import type { Resolvers } from '../../generated/graphql.ts';
import type { Context } from '../../graph/context.ts';
import type { Business, PageArguments } from '../business.ts';
import { requireReadable } from '../columns.ts';
import {
  listFromSource,
  loadFromSources,
  readSource,
  requireOwnFields,
  type SourcedRecord,
  selectedSources,
  sourceOfList,
} from '../reading/source-reads.ts';
import type { RecordTypeDescriptor } from '../record-type.ts';
import { sourceSetsOf } from './record-sources.ts';
import { combineEtags } from './source-etags.ts';

type Args = PageArguments & Readonly<Record<string, unknown>>;
type Resolver = (parent: SourcedRecord, args: Args, context: Context, info: GraphQLResolveInfo) => unknown;
type FieldResolvers = Readonly<Record<string, Resolver>>;
type LoadOwn = (business: Business, companyId: string, id: string, args: Args) => Promise<object | null>;

/**
 * The resolvers of a record type whose fields are in several sets, made of those for its own set: lists are read from the set
 * that has the columns of their filter and order, and fields of a source from that source. `loadOwn` loads a record of the own
 * set.
 */
export function withSources(
  recordType: RecordTypeDescriptor,
  resolvers: readonly Resolvers[],
  loadOwn: LoadOwn,
): readonly Resolvers[] {
  const { names, sources, type } = recordType;
  if (!sources || !names) return resolvers;
  const wrapType = (owner: string, fields: FieldResolvers): FieldResolvers =>
    Object.fromEntries(
      Object.entries(fields).map(([name, resolve]) => {
        if (name === names.many) return [name, wrapList(recordType, owner, resolve, loadOwn)];
        if (owner === 'Company' && name === names.one) return [name, wrapOne(recordType, resolve)];
        if (owner === type && name !== 'company' && !name.startsWith('__')) return [name, guard(resolve)];
        return [name, resolve];
      }),
    );
  const wrapped = resolvers.map((map) =>
    Object.fromEntries(
      Object.entries(map).map(([owner, fields]) => [owner, wrapType(owner, fields as FieldResolvers)]),
    ),
  );
  return [{ [type]: ownFields(recordType) }, ...wrapped, { [type]: sourceFields(recordType) }] as Resolvers[];
}

const wrapOne =
  (recordType: RecordTypeDescriptor, resolve: Resolver): Resolver =>
  (parent, args, context, info) =>
    loadFromSources(context.business, recordType, parent.id, args.id as string, () =>
      resolve(parent, args, context, info),
    );

/** A list of a company, or of another record: that is a condition on columns of the own set. */
function wrapList(
  recordType: RecordTypeDescriptor,
  owner: string,
  resolve: Resolver,
  loadOwn: LoadOwn,
): Resolver {
  const ownerColumns =
    owner === 'Company'
      ? []
      : Object.keys(
          recordType.listedBy?.[owner] ?? { [`${owner.charAt(0).toLowerCase()}${owner.slice(1)}Id`]: '' },
        );
  return (parent, args, context, info) => {
    if (args.filter == null && args.orderBy == null) return resolve(parent, args, context, info);
    const { business } = context;
    const name = sourceOfList(recordType, args, ownerColumns);
    if (name === null) return resolve(parent, args, context, info);
    return listFromSource(business, recordType, name, parent.id, args, info, (id) =>
      loadOwn(business, parent.id, id, args),
    );
  };
}

/** Where the own set could not be read, its fields fail, and those of the sources do not. */
const guard =
  (resolve: Resolver): Resolver =>
  (record, args, context, info) => {
    requireOwnFields(record);
    return resolve(record, args, context, info);
  };

/** A column of the own set, and the upstream's word beside it for a choice. */
function ownFields(recordType: RecordTypeDescriptor): FieldResolvers {
  const names = Object.entries(recordType.fields).flatMap(([field, kind]) =>
    typeof kind === 'object' ? [field, `${field}Raw`] : [field],
  );
  const read = (name: string): Resolver =>
    guard((record) => (record as unknown as Readonly<Record<string, unknown>>)[name]);
  return Object.fromEntries(names.filter((name) => name !== 'id').map((name) => [name, read(name)]));
}

function sourceFields(recordType: RecordTypeDescriptor): FieldResolvers {
  const fields = [...sourceSetsOf(recordType)].flatMap(([name, set]) =>
    Object.entries(set.fields)
      .filter(([field]) => field !== 'id')
      .flatMap(([field, kind]) =>
        (typeof kind === 'object' ? [field, `${field}Raw`] : [field]).map((shown) => [shown, kind] as const),
      )
      .map(([field, kind]): [string, Resolver] => [
        field,
        async (record, _args, { business }) =>
          requireReadable(kind, (await readSource(business, recordType, name, record))?.[field] ?? null),
      ]),
  );
  return { ...Object.fromEntries(fields), etag: resolveEtag(recordType) };
}

/** The tags of all sets of which something is selected. */
function resolveEtag(recordType: RecordTypeDescriptor): Resolver {
  return (record, _args, { business }) => {
    requireOwnFields(record);
    const main = record.etag ?? null;
    const names = selectedSources(recordType, business.selection.ofType(recordType.type));
    if (names.length === 0) return main;
    const tags = names.map(async (name) => {
      try {
        const row = await readSource(business, recordType, name, record);
        return row === null || row.etag !== null ? [[name, row?.etag ?? null]] : [];
      } catch {
        // The fields of the source have its error; the tag is of what could be read.
        return [];
      }
    });
    return Promise.all(tags).then((found) =>
      found.flat().length === 0 ? main : combineEtags({ main, sources: Object.fromEntries(found.flat()) }),
    );
  };
}
