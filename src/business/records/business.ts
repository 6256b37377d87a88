import { InputError } from '../../errors.ts';
import type { CursorCodec } from '../../graph/cursor.ts';
import { RelayConnection, type RowPage, readFirst } from '../../graph/relay-connection.ts';
import { type SelectedObject, selectMore, selectRows } from '../../graph/selected-object.ts';
import type { Selection } from '../../graph/selection.ts';
import type { Access } from '../../http/auth/access.ts';
import type { CallResult } from '../../odata/batch.ts';
import { getOrCompute } from '../../runtime/memo.ts';
import { type RecordTimestamp, readChangedRecords } from '../reading/changed-records.ts';
import type { ExpansionPlanner } from '../reading/expansions.ts';
import type { File, FileAddress, FileAddresses } from '../reading/files.ts';
import { compileListQuery, type ListArguments, type OwnerColumnValues } from '../reading/filters.ts';
import { type ListRequest, readListRows } from '../reading/list-rows.ts';
import { createLoaders, type Loaders } from '../reading/loaders.ts';
import { createReads, type SharedReads } from '../reading/reads.ts';
import type { View } from '../reading/views.ts';
import type { Dialect } from '../record-sets/dialect.ts';
import type { BusinessRecord, RecordSet } from '../record-sets/record-set.ts';
import type { WriteOutcome } from '../writing/outcomes.ts';
import type { BusinessWriteOptions, RecordPart } from '../writing/writer.ts';
import { carryOutWrites, type RecordWrite, sendAction, type WriteOptions } from '../writing/writes.ts';

declare module '../../graph/context.ts' {
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
  /** The entity set of a type of records. */
  setOf(type: string): RecordSet;
  /** Loads a record with the fields that the operation selects of its type. */
  load(set: RecordSet, companyId: string | null, id: string): Promise<BusinessRecord | null>;
  /** As `load`, by number. `number` must be spelled as the upstream stores it (`toUpstreamCode`). */
  loadByNumber(set: RecordSet, companyId: string, number: string): Promise<BusinessRecord | null>;
  /** Returns the view for loads of single records by key. */
  plan(set: RecordSet, selected: SelectedObject): View;
  readonly loadView: Loaders['byId'];
  /** `view` must have the column `number`. */
  readonly loadViewByNumber: Loaders['byNumber'];
  readonly loadOnly: Loaders['only'];
  /** Reads a page of a set. `owner` restricts the page to the rows of one record: the values of its columns. */
  list(
    set: RecordSet,
    companyId: string | null,
    page: PageArguments,
    connection: SelectedObject,
    owner?: OwnerColumnValues,
  ): Promise<RelayConnection<BusinessRecord>>;
  /** Reads a page of a set with the selected fields, and with the relations that can be expanded. */
  listSelected(
    set: RecordSet,
    selected: SelectedObject,
    companyId: string | null,
    page: ListRequest,
  ): Promise<RowPage<BusinessRecord>>;
  listView(view: View, companyId: string | null, page: ListRequest): Promise<RowPage<BusinessRecord>>;
  /** Discards everything read so far; later reads go to the primary. */
  invalidateReads(): void;
  /** Sends the reads that are requested next as one batch. */
  joinNextReads(): void;
  /** Reads ids and modification times of all records changed at `from` or later; of the latest alone if `from` is null. */
  readChangedSince(
    set: RecordSet,
    companyId: string,
    from: string | null,
  ): Promise<readonly RecordTimestamp[]>;
  /** Carries out writes, then invalidates reads. */
  write(writes: readonly RecordWrite[], options?: WriteOptions): Promise<readonly WriteOutcome[]>;
  /** Creates an address of a file. The address expires, and works for this caller only. */
  addressFile(file: Omit<FileAddress, 'expiresAt' | 'principal'>): File;
  /** How far the upstream's clock is ahead of this one, in milliseconds. */
  clockOffsetMs(): number;
  /** Sends an action once, then invalidates reads. */
  act(companyId: string, part: RecordPart): Promise<CallResult>;
}

// The number of rows for which a load by key plans its expansions. Keys are coalesced later, so the real number is unknown.
const assumedRowsOfLoad = 20;

/** The arguments of every list. */
export type PageArguments = Pick<ListRequest, 'first' | 'after'> & ListArguments;

export interface BusinessOptions extends BusinessWriteOptions {
  readonly recordTypes: readonly RecordSet[];
  readonly files: FileAddresses;
  readonly inFlight: SharedReads;
  readonly cursors: CursorCodec;
  /** The expansion planner of a principal. */
  readonly planExpansions: (principal: string) => ExpansionPlanner;
  readonly defaultCompanyId: string | null;
}

/** Creates the operations of area A for one request. `isPrimary` sends all of its reads to the primary. */
export function createBusiness(
  options: BusinessOptions,
  access: Access,
  selection: Selection,
  isPrimary = false,
): Business {
  const { cursors, dialect, defaultCompanyId } = options;
  const reads = createReads(options, access, isPrimary);
  const planner = options.planExpansions(access.principal);
  const loaders = createLoaders(reads, planner);
  const plan = (set: RecordSet, selected: SelectedObject) => planner.plan(set, selected, assumedRowsOfLoad);
  const load = (set: RecordSet, companyId: string | null, id: string) =>
    loaders.byId(plan(set, selection.ofType(set.type)), companyId, id);

  // Reads the same list under several aliases once.
  const lists = new Map<View, Map<string, Promise<RowPage<unknown>>>>();
  const listView = async (view: View, companyId: string | null, page: ListRequest) => {
    const { filter, orderBy, isEmpty } = page.query;
    const key = JSON.stringify([companyId, page.first, page.after, page.count, filter, orderBy, isEmpty]);
    const ofView = getOrCompute(lists, view, () => new Map());
    const list = getOrCompute(ofView, key, () =>
      readListRows({ reads, planner, loaders, cursors }, view, companyId, page),
    );
    return (await list) as RowPage<BusinessRecord>;
  };
  const listSelected: Business['listSelected'] = (set, selected, companyId, page) =>
    listView(planner.plan(set, selected, readFirst(page.first)), companyId, page);
  const invalidateReads = () => {
    reads.invalidate();
    loaders.clear();
    lists.clear();
  };

  return {
    selection,
    dialect,
    setOf: (type) => options.recordTypes.find((recordType) => recordType.type === type) as RecordSet,
    companyId(id) {
      const companyId = id ?? defaultCompanyId;
      if (companyId !== null) return companyId;
      throw new InputError(
        'Name the company: this deployment has no default one (BUSINESS_COMPANY_ID). `companies { nodes { id name } }` lists them.',
      );
    },
    load,
    loadByNumber: (set, companyId, number) =>
      loaders.byNumber(plan(set, selectMore(selection.ofType(set.type), ['number'])), companyId, number),
    plan,
    loadView: loaders.byId,
    loadViewByNumber: loaders.byNumber,
    loadOnly: loaders.only,
    async list(set, companyId, { first, after, ...given }, connection, owner) {
      const query = compileListQuery(set, dialect, given, owner);
      const request = { first, after, query, count: connection.fields.has('totalCount') };
      return new RelayConnection(await listSelected(set, selectRows(connection), companyId, request));
    },
    listSelected,
    listView,
    invalidateReads,
    joinNextReads: () => reads.joinNext(),
    readChangedSince: (set, companyId, from) => readChangedRecords(reads, dialect, set, companyId, from),
    write: (writes, how) =>
      carryOutWrites({ ...options, access, planner, reads, selection }, writes, how).finally(invalidateReads),
    addressFile: (file) => options.files.create({ ...file, principal: access.principal }),
    clockOffsetMs: () => options.client.clockOffsetMs(),
    act: (companyId, part) => sendAction({ ...options, access }, companyId, part).finally(invalidateReads),
  };
}
