import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../sandbox/seeded.ts';
import { inputTypeOf } from '../support/input-types.ts';
import type { Json } from '../support/json.ts';
import type { TestLayer } from '../support/layer.ts';
import { type Stored, slowMs } from './soak.ts';

/** What was reported of a write. In `refused` nothing was changed. */
type Outcome = 'made' | 'refused' | 'unknown';

/** An order from its quote or its create to its invoices: the requests that were sent, and the reported outcome of each. */
export interface Life {
  /** The external document number of all of its documents. */
  readonly marker: string;
  readonly creates: Outcome[];
  /** Quote to order. */
  readonly conversions: Outcome[];
  readonly postings: Outcome[];
  /** Each write as it was reported. */
  readonly trace: string[];
}

export interface Upstream {
  readonly layers: readonly TestLayer[];
  readonly customers: readonly string[];
  readonly items: readonly string[];
}

interface Document {
  readonly id: string;
  readonly etag: string;
  readonly documentLines?: readonly Omit<Document, 'documentLines'>[];
}

/** Takes one order through its life; ends early where a step is unknown or refused. */
export async function live(upstream: Upstream, random: Random, marker: string): Promise<Life> {
  const life: Life = { marker, creates: [], conversions: [], postings: [], trace: [] };
  const steps = createSteps(upstream, random, life);
  let order = random.oneIn(2) ? await steps.createOrder() : await steps.createByQuote();
  for (let posting = 0; order && posting < 3; posting += 1) {
    if (posting < 2 && random.oneIn(2)) order = await steps.limitPosting(order);
    order = order && (await steps.post(order));
  }
  return life;
}

function createSteps({ layers, customers, items }: Upstream, random: Random, life: Life) {
  const { marker, trace } = life;

  const mutate = async (name: string, input: object, selection: string): Promise<Json | null> => {
    const { data, errors } = await random
      .pick(layers)
      .query(`mutation ($input: ${inputTypeOf(name)}!) { done: ${name}(input: $input) { ${selection} } }`, {
        input,
      });
    const code = errors?.[0]?.extensions.code;
    if (errors && !/^(UPSTREAM_|FORBIDDEN$)/.test(String(code)))
      throw new Error(`${name} of ${marker}: ${JSON.stringify(errors)}`);
    if (errors) trace.push(`${name} → ${code}`);
    return data?.done ?? null;
  };

  const note = (what: string, result: Json | null): Outcome => {
    const code: string | undefined = result ? result.userErrors[0]?.code : 'failed';
    trace.push(`${what} → ${code ?? 'made'}`);
    if (code === undefined) return 'made';
    return code === 'OUTCOME_UNKNOWN' ? 'unknown' : 'refused';
  };

  const look = async ({ id }: Document): Promise<Document | null> => {
    const { data } = await random
      .pick(layers)
      .query('query ($id: UUID!) { company { salesOrder(id: $id) { id etag documentLines { id etag } } } }', {
        id,
      });
    return data?.company?.salesOrder ?? null;
  };

  const newLine = () => ({
    lineType: 'Item',
    itemNo: random.pick(items),
    quantity: random.between(2, 5),
  });

  const createDocument = async (type: 'SalesOrder' | 'SalesQuote', field: string, linesField: string) => {
    const input = {
      customerNumber: random.pick(customers),
      externalDocumentNumber: marker,
      [linesField]: [newLine()],
    };
    const payload = await mutate(`create${type}`, input, `${field} { id etag } userErrors { code }`);
    const outcome = note(`create${type}`, payload);
    life.creates.push(outcome);
    return outcome === 'made' ? (payload?.[field] as Document | null) : null;
  };

  return {
    createOrder: () => createDocument('SalesOrder', 'salesOrder', 'documentLines'),

    async createByQuote(): Promise<Document | null> {
      const quote = await createDocument('SalesQuote', 'salesQuote', 'salesQuoteLines');
      if (!quote) return null;
      const payload = await mutate(
        'makeOrderFromQuote',
        { id: quote.id, ifMatch: quote.etag },
        'salesOrder { id etag } userErrors { code }',
      );
      life.conversions.push(note('makeOrderFromQuote', payload));
      return payload?.userErrors.length === 0 ? payload.salesOrder : null;
    },

    /** Leaves units of the first line for a later posting. */
    async limitPosting(order: Document): Promise<Document | null> {
      const [line] = (await look(order))?.documentLines ?? [];
      if (!line) return order;
      const entry = { id: line.id, ifMatch: line.etag, patch: { shipQuantity: 1, invoiceQuantity: 1 } };
      const payload = await mutate(
        'updateSalesOrderLines',
        { orderId: order.id, entries: [entry] },
        'results { userErrors { code } }',
      );
      note('updateSalesOrderLines', payload?.results[0] ?? null);
      return look(order);
    },

    /** Now and then posts a state that is no longer the present one; null where nothing is left to post. */
    async post(order: Document): Promise<Document | null> {
      const payload = await mutate(
        'shipAndInvoiceSalesOrder',
        { id: order.id, ifMatch: order.etag },
        'salesOrder { id etag } salesInvoice { id } userErrors { code }',
      );
      const outcome = note('shipAndInvoiceSalesOrder', payload);
      life.postings.push(outcome);
      const present: Document | null = payload?.salesOrder ?? null;
      if (outcome === 'made') return present && random.oneIn(4) ? order : present;
      if (outcome === 'unknown') await sleep(slowMs + 100);
      return random.oneIn(8) ? order : look(order);
    },
  };
}

export type StoredSets = Readonly<
  Record<'salesOrders' | 'salesQuotes' | 'salesInvoices' | 'salesShipments', readonly Stored[]>
>;

/** A sentence for each way in which what was reported of a life is not what became of it. */
export function judgeLife(life: Life, stored: StoredSets): string[] {
  const of = (set: keyof StoredSets) =>
    stored[set].filter(({ values }) => values.externalDocumentNumber === life.marker);
  const [orders, quotes, invoices, shipments] = [
    of('salesOrders'),
    of('salesQuotes'),
    of('salesInvoices'),
    of('salesShipments'),
  ];
  const faults: string[] = [];
  const count = (what: string, found: number, outcomes: readonly Outcome[]) => {
    const least = outcomes.filter((outcome) => outcome === 'made').length;
    const most = least + outcomes.filter((outcome) => outcome === 'unknown').length;
    if (found < least || found > most) faults.push(`${what}: ${found}, reported were ${least} to ${most}`);
  };
  const isOrdered = orders.length > 0 || invoices.length > 0;
  count('documents created', Math.min(1, quotes.length + orders.length + invoices.length), life.creates);
  if (quotes.length + orders.length > 1)
    faults.push(`there are ${quotes.length} quotes and ${orders.length} orders`);
  if (life.conversions.length > 0) count('quotes made into orders', isOrdered ? 1 : 0, life.conversions);
  count('invoices', invoices.length, life.postings);
  count('shipments', shipments.length, life.postings);
  return faults.map((fault) => `${life.marker} ${fault}\n    ${life.trace.join('\n    ')}`);
}
