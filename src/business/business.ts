import { InputError } from '../errors.ts';
import type { CursorCodec } from '../graph/cursor.ts';
import { createRelayConnection, type RelayConnection, type RowPage } from '../graph/relay-connection.ts';
import type { Selection } from '../graph/selection.ts';
import type { Access } from '../http/auth/access.ts';
import type { SharedReads } from '../http/shared-reads.ts';
import type { Dialect } from './dialect.ts';
import { type RecordTimestamp, readChangedRecords } from './reading/changed-records.ts';
import type { ListArguments } from './reading/filters.ts';
import { createListQueryCompiler, type ListQueryCompiler } from './reading/list-queries.ts';
import { type ListRequest, readListRows } from './reading/list-rows.ts';
import { createLoaders, type Loaders } from './reading/loaders.ts';
import { createReads } from './reading/reads.ts';
import { getView, type View } from './reading/views.ts';
import type { FieldKinds, RecordOf, RecordSet } from './record-set.ts';
import type { RecordWriterOptions } from './writing/writer.ts';
import { createRecordWrites, type RecordWrites } from './writing/writes.ts';

declare module '../graph/context.ts' {
  interface Context {
    readonly business: Business;
  }
}

/** The operations of area A for one request, with the caller's credentials. */
export interface Business {
  /** The given company, or the deployment's default. Throws `InputError` if there is neither. */
  companyId(id: string | null | undefined): string;
  readonly selection: Selection;
  readonly dialect: Dialect;
  /** Whether items can be read in the v1.0 shape. */
  readonly hasItemV1: boolean;
  load<F extends FieldKinds>(
    set: RecordSet<F>,
    companyId: string | null,
    id: string,
  ): Promise<RecordOf<F> | null>;
  readonly loadView: Loaders['byId'];
  readonly loadViewByNumber: Loaders['byNumber'];
  /** A page of a set; `owner` holds the columns by which the list belongs to a record. */
  list<F extends FieldKinds>(
    set: RecordSet<F>,
    companyId: string | null,
    page: PageArguments,
    owner?: Readonly<Record<string, string>>,
  ): Promise<RelayConnection<RecordOf<F>>>;
  readonly compileListQuery: ListQueryCompiler;
  listView<F extends FieldKinds>(
    view: View<F>,
    companyId: string,
    page: ListRequest,
  ): Promise<RowPage<RecordOf<F>>>;
  /** Discards everything read so far; later reads go to the primary. */
  invalidateReads(): void;
  /** The ids and modification times of all records changed at `from` or later; only the latest if `from` is null. */
  readChangedSince(
    set: RecordSet,
    companyId: string,
    from: string | null,
  ): Promise<readonly RecordTimestamp[]>;
  /** Writes of this request; reads are invalidated after each. */
  writes(): RecordWrites;
}

/** The arguments of every list. */
export type PageArguments = Pick<ListRequest, 'first' | 'after'> & ListArguments;

export interface BusinessOptions extends RecordWriterOptions {
  readonly inFlight: SharedReads;
  readonly cursors: CursorCodec;
  readonly hasItemV1: boolean;
  readonly defaultCompanyId: string | null;
}

/** Area A for one request. `isPrimary`: whether all of its reads go to the primary. */
export function createBusiness(
  options: BusinessOptions,
  access: Access,
  selection: Selection,
  isPrimary = false,
): Business {
  const { cursors, dialect, hasItemV1, defaultCompanyId } = options;
  const reads = createReads(options, access, isPrimary);
  const loaders = createLoaders(reads);
  const listQuery = createListQueryCompiler();
  const load = <F extends FieldKinds>(set: RecordSet<F>, companyId: string | null, id: string) =>
    loaders.byId(getView(set, dialect, selection), companyId, id);

  // The same list under several aliases is read once.
  let lists: Map<View, Map<string, Promise<RowPage<unknown>>>> | null = null;
  const listView = async <F extends FieldKinds>(
    view: View<F>,
    companyId: string | null,
    page: ListRequest,
  ) => {
    lists ??= new Map();
    let ofView = lists.get(view);
    if (!ofView) {
      ofView = new Map();
      lists.set(view, ofView);
    }
    const { filter, orderBy, isEmpty } = page.query;
    const key = JSON.stringify([companyId, page.first, page.after, page.count, filter, orderBy, isEmpty]);
    let list = ofView.get(key);
    if (!list) {
      list = readListRows(reads, cursors, view, companyId, page);
      ofView.set(key, list);
    }
    return (await list) as RowPage<RecordOf<F>>;
  };
  const invalidateReads = () => {
    reads.invalidate();
    loaders.clear();
    lists = null;
  };
  const invalidateAfter = <T>(written: Promise<T>): Promise<T> => written.finally(invalidateReads);

  return {
    selection,
    dialect,
    hasItemV1,
    companyId(id) {
      const companyId = id ?? defaultCompanyId;
      if (companyId !== null) return companyId;
      throw new InputError('Name the company: this deployment has no default one (BUSINESS_COMPANY_ID).');
    },
    load,
    loadView: loaders.byId,
    loadViewByNumber: loaders.byNumber,
    async list(set, companyId, { first, after, ...given }, owner) {
      const query = listQuery(set, dialect, given, owner);
      const count = selection.fields(`${set.type}Connection`).has('totalCount');
      const view = getView(set, dialect, selection);
      return createRelayConnection(await listView(view, companyId, { first, after, query, count }));
    },
    compileListQuery: listQuery,
    listView,
    invalidateReads,
    readChangedSince: (set, companyId, from) => readChangedRecords(reads, dialect, set, companyId, from),
    writes() {
      const { create, update, remove } = createRecordWrites(options, access, reads, selection);
      return {
        create: (set, entries) => invalidateAfter(create(set, entries)),
        update: (set, entries) => invalidateAfter(update(set, entries)),
        remove: (set, entries) => invalidateAfter(remove(set, entries)),
      } satisfies RecordWrites;
    },
  };
}
