import { InputError } from '../errors.ts';
import { type Connection, connectionOf, type Rows } from '../graph/connection.ts';
import type { Cursors } from '../graph/cursor.ts';
import type { Selection } from '../graph/selection.ts';
import type { Access } from '../upstream/access.ts';
import type { InFlight } from '../upstream/in-flight.ts';
import { type ChangeStamp, readStamps } from './change-stamps.ts';
import type { Dialect } from './dialect.ts';
import type { ListArguments } from './filters.ts';
import { createListQueries, type ListQueries } from './list-queries.ts';
import { createLoaders, type Loaders } from './loaders.ts';
import { createReads } from './reads.ts';
import type { Fields, RecordOf, RecordSet } from './records.ts';
import { type ListRequest, readRows } from './rows.ts';
import { type View, viewOf } from './views.ts';
import type { WriterOptions } from './writer.ts';
import { createWrites, type Writes } from './writes.ts';

/** What the resolvers of area A work with: one for each request, in the caller's name. */
export interface Business {
  /** The company asked for, or the deployment's default. Throws `InputError` when there is neither. */
  companyId(id: string | null | undefined): string;
  readonly selection: Selection;
  readonly dialect: Dialect;
  /** Whether items can be read in the v1.0 shape. */
  readonly hasItemV1: boolean;
  load<F extends Fields>(
    set: RecordSet<F>,
    companyId: string | null,
    id: string,
  ): Promise<RecordOf<F> | null>;
  readonly loadView: Loaders['byId'];
  readonly loadViewByNumber: Loaders['byNumber'];
  /** A page of a set; `owner` holds the columns by which the list belongs to a record. */
  list<F extends Fields>(
    set: RecordSet<F>,
    companyId: string | null,
    page: PageArguments,
    owner?: Readonly<Record<string, string>>,
  ): Promise<Connection<RecordOf<F>>>;
  readonly listQuery: ListQueries;
  listView<F extends Fields>(view: View<F>, companyId: string, page: ListRequest): Promise<Rows<RecordOf<F>>>;
  /** What is read from now on is read anew, from where every write is seen. */
  startOver(): void;
  /** A page of stamps: ids and when they last changed, from an instant on; null for the latest alone. */
  stamps(set: RecordSet, companyId: string, from: string | null): Promise<readonly ChangeStamp[]>;
  /** What is read after a write is read anew. */
  writes(): Writes;
}

/** The arguments of every list. */
export type PageArguments = Pick<ListRequest, 'first' | 'after'> & ListArguments;

export interface BusinessOptions extends WriterOptions {
  readonly inFlight: InFlight;
  readonly cursors: Cursors;
  readonly hasItemV1: boolean;
  readonly defaultCompanyId: string | null;
}

/** The business area as one request sees it. */
export function createBusiness(options: BusinessOptions, access: Access, selection: Selection): Business {
  const { cursors, dialect, hasItemV1, defaultCompanyId } = options;
  const reads = createReads(options, access);
  const loaders = createLoaders(reads);
  const listQuery = createListQueries();
  const load = <F extends Fields>(set: RecordSet<F>, companyId: string | null, id: string) =>
    loaders.byId(viewOf(set, dialect, selection), companyId, id);

  // The same list asked for under several aliases is read once.
  let lists: Map<View, Map<string, Promise<Rows<unknown>>>> | null = null;
  const listView = async <F extends Fields>(view: View<F>, companyId: string | null, page: ListRequest) => {
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
      list = readRows(reads, cursors, view, companyId, page);
      ofView.set(key, list);
    }
    return (await list) as Rows<RecordOf<F>>;
  };
  const startOver = () => {
    reads.startOver();
    loaders.clear();
    lists = null;
  };
  const thenAnew = <T>(written: Promise<T>): Promise<T> => written.finally(startOver);

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
      const view = viewOf(set, dialect, selection);
      return connectionOf(await listView(view, companyId, { first, after, query, count }));
    },
    listQuery,
    listView,
    startOver,
    stamps: (set, companyId, from) => readStamps(reads, dialect, set, companyId, from),
    writes() {
      const { create, update, remove } = createWrites(options, access, reads, selection);
      return {
        create: (set, entries) => thenAnew(create(set, entries)),
        update: (set, entries) => thenAnew(update(set, entries)),
        remove: (set, entries) => thenAnew(remove(set, entries)),
      } satisfies Writes;
    },
  };
}
