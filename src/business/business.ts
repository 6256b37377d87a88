import { InputError } from '../errors.ts';
import { type Connection, connectionOf, type Rows } from '../graph/connection.ts';
import type { Cursors } from '../graph/cursor.ts';
import type { Selection } from '../graph/selection.ts';
import type { Client } from '../upstream/client.ts';
import { createLoaders } from './loaders.ts';
import type { Fields, RecordOf, RecordSet } from './records.ts';
import { type ListRequest, readRows } from './rows.ts';
import { type View, viewOf } from './views.ts';
import { type Change, createRecord, type Outcome, updateRecord } from './writes.ts';

/** What the resolvers of area A work with: one for each request, with the caller's own token. */
export interface Business {
  /** The company asked for, or the deployment's default. Throws `InputError` when there is neither. */
  companyId(id: string | null | undefined): string;
  readonly selection: Selection;
  load<F extends Fields>(
    set: RecordSet<F>,
    companyId: string | null,
    id: string,
  ): Promise<RecordOf<F> | null>;
  loadView<F extends Fields>(view: View<F>, companyId: string, id: string): Promise<RecordOf<F> | null>;
  loadViewByNumber<F extends Fields>(
    view: View<F>,
    companyId: string,
    number: string,
  ): Promise<RecordOf<F> | null>;
  list<F extends Fields>(
    set: RecordSet<F>,
    companyId: string | null,
    page: Page,
  ): Promise<Connection<RecordOf<F>>>;
  listView<F extends Fields>(view: View<F>, companyId: string, page: ListRequest): Promise<Rows<RecordOf<F>>>;
  update<F extends Fields>(set: RecordSet<F>, change: Change): Promise<Outcome<F>>;
  create<F extends Fields>(set: RecordSet<F>, companyId: string, body: Body): Promise<Outcome<F>>;
}

type Page = Pick<ListRequest, 'first' | 'after'>;
type Body = Readonly<Record<string, unknown>>;

export interface BusinessOptions {
  readonly client: Client;
  readonly cursors: Cursors;
  readonly defaultCompanyId: string | null;
}

/** The business area as one request sees it. */
export function createBusiness(
  { client, cursors, defaultCompanyId }: BusinessOptions,
  token: string | null,
  selection: Selection,
): Business {
  const loaders = createLoaders(client, token);
  const load = <F extends Fields>(set: RecordSet<F>, companyId: string | null, id: string) =>
    loaders.byId(viewOf(set, selection), companyId, id);

  // The same list asked for under several aliases is read once.
  let lists = new WeakMap<View, Map<string, Promise<Rows<unknown>>>>();
  const listView = <F extends Fields>(view: View<F>, companyId: string | null, page: ListRequest) => {
    const ofView = lists.get(view) ?? new Map<string, Promise<Rows<unknown>>>();
    lists.set(view, ofView);
    const key = JSON.stringify([companyId, page.first, page.after, page.count, page.scope]);
    const list = ofView.get(key) ?? readRows(client, token, cursors, view, companyId, page);
    ofView.set(key, list);
    return list as Promise<Rows<RecordOf<F>>>;
  };
  const forget = () => {
    loaders.clear();
    lists = new WeakMap();
  };

  return {
    selection,
    companyId(id) {
      const companyId = id ?? defaultCompanyId;
      if (companyId !== null) return companyId;
      throw new InputError('Name the company: this deployment has no default one (BUSINESS_COMPANY_ID).');
    },
    load,
    loadView: loaders.byId,
    loadViewByNumber: loaders.byNumber,
    async list(set, companyId, page) {
      const count = selection.fields(`${set.type}Connection`).has('totalCount');
      return connectionOf(await listView(viewOf(set, selection), companyId, { ...page, count }));
    },
    listView,
    async update(set, change) {
      const current = () => {
        forget();
        return load(set, change.companyId, change.id);
      };
      const outcome = await updateRecord(client, token, set, change, current);
      forget();
      return outcome;
    },
    async create(set, companyId, body) {
      const outcome = await createRecord(client, token, set, companyId, body);
      forget();
      return outcome;
    },
  };
}
