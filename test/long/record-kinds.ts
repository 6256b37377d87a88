import type { Random } from '../../sandbox/seeded.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Seeded records that new documents refer to. */
export interface Goods {
  readonly customers: readonly string[];
  readonly items: readonly string[];
}

/** One kind of record: where its marker and its log of edits are kept, and what else is written to it. */
export interface RecordKind {
  /** The name of its set in the sandbox. */
  readonly set: string;
  /** As in `createCustomer`. */
  readonly type: string;
  /** The field of its payloads. */
  readonly payload: string;
  /** The text field that holds the marker it is created with, and that nothing changes. */
  readonly marker: string;
  /** The text field that edits append their marks to, and how much fits; null where nothing is updated. */
  readonly log: { readonly field: string; readonly length: number } | null;
  /** What a new one holds beside its marker. */
  fresh(random: Random, goods: Goods): Fields;
  /** What an edit writes beside its mark, in forms that servers normalise. */
  extras(random: Random): Fields;
  /** Makes a create one that the upstream always refuses. */
  readonly refused: Fields | null;
}

/** A number that nothing else has. */
const ownNumber = (random: Random) => `soak${random.between(1e6, 1e7)}-${random.between(1e6, 1e7)}`;

const line = (random: Random, { items }: Goods) => ({
  itemId: random.pick(items),
  quantity: String(random.between(1, 9)),
});

const lines = (random: Random, goods: Goods) =>
  Array.from({ length: random.between(0, 3) }, () => line(random, goods));

const customers: RecordKind = {
  set: 'customers',
  type: 'Customer',
  payload: 'customer',
  marker: 'displayName',
  log: { field: 'website', length: 255 },
  fresh: (random) =>
    random.pick([{}, { country: 'no' }, { creditLimit: '0010.50' }, { number: ownNumber(random) }]),
  extras: (random) =>
    random.pick([
      {},
      {},
      { country: 'se' },
      { creditLimit: `${random.between(1, 99)}.50` },
      { city: ' Oslo ' },
    ]),
  refused: { email: 'no address' },
};

const salesOrders: RecordKind = {
  set: 'salesOrders',
  type: 'SalesOrder',
  payload: 'salesOrder',
  marker: 'externalDocumentNumber',
  log: { field: 'shipToContact', length: 100 },
  fresh: (random, goods) => ({
    customerId: random.pick(goods.customers),
    documentLines: lines(random, goods),
  }),
  extras: (random) => random.pick([{}, {}, { shortcutDimension1Code: 'sales' }, { shipToCity: 'Lund ' }]),
  refused: { documentLines: [{ lineType: 'Item', itemNo: 'NO-SUCH', quantity: '1' }] },
};

export const salesQuotes: RecordKind = {
  set: 'salesQuotes',
  type: 'SalesQuote',
  payload: 'salesQuote',
  marker: 'externalDocumentNumber',
  log: null,
  fresh: (random, goods) => ({
    customerId: random.pick(goods.customers),
    salesQuoteLines: lines(random, goods),
  }),
  extras: () => ({}),
  refused: { salesQuoteLines: [{ lineType: 'Item', itemNo: 'NO-SUCH', quantity: '1' }] },
};

export const recordKinds = [customers, salesOrders, salesQuotes];
