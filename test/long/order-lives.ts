import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../../sandbox/seeded.ts';
import { inputTypeOf } from '../support/input-types.ts';
import type { Json } from '../support/json.ts';
import type { TestLayer } from '../support/layer.ts';

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
  /** By description: whether the line was added, and whether it was removed. */
  readonly lines: Map<string, { readonly added: Outcome; removed: Outcome | null }>;
  /** Each write as it was reported. */
  readonly trace: string[];
}

export interface Upstream {
  readonly layers: readonly TestLayer[];
  readonly customers: readonly string[];
  readonly items: readonly string[];
  /** How long after it was sent a late write arrives. */
  readonly slowMs: number;
}

interface Document {
  readonly id: string;
  readonly etag: string;
}

/** Takes one order through its life; ends early where a step is unknown or refused. */
export async function live(upstream: Upstream, random: Random, marker: string): Promise<Life> {
  const life: Life = { marker, creates: [], conversions: [], postings: [], lines: new Map(), trace: [] };
  const steps = createSteps(upstream, random, life);
  let order = random.oneIn(2) ? await steps.createOrder() : await steps.createByQuote();
  for (let round = random.between(0, 2); order && round > 0; round -= 1) order = await steps.editLines(order);
  for (let posting = 0; order && posting < 3; posting += 1) {
    if (posting < 2 && random.oneIn(2)) order = await steps.limitPosting(order);
    order = order && (await steps.post(order));
  }
  return life;
}

function createSteps({ layers, customers, items, slowMs }: Upstream, random: Random, life: Life) {
  const { marker, lines, trace } = life;

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
      .query('query ($id: UUID!) { company { salesOrder(id: $id) { id etag } } }', { id });
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

  const editAll = async (verb: 'add' | 'update' | 'remove', order: Document, entries: readonly object[]) => {
    const selection = `salesOrder { id etag documentLines { id etag description quantity } } results { userErrors { code } }`;
    const payload = await mutate(`${verb}SalesOrderLines`, { orderId: order.id, entries }, selection);
    const outcomes = entries.map((_entry, index) =>
      note(`${verb} ${index}`, payload?.results[index] ?? null),
    );
    return { outcomes, order: (payload?.salesOrder ?? null) as (Document & Json) | null };
  };

  const freshLines = async (order: Document): Promise<readonly Json[]> => {
    const { data } = await random
      .pick(layers)
      .query(
        'query ($id: UUID!) { company { salesOrder(id: $id) { documentLines { id etag description } } } }',
        { id: order.id },
      );
    return data?.company?.salesOrder?.documentLines ?? [];
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

    /** Adds some lines; now and then removes one of them. */
    async editLines(order: Document): Promise<Document | null> {
      const names = Array.from({ length: random.between(1, 3) }, (_, n) => `${marker}${lines.size + n}/`);
      const added = await editAll(
        'add',
        order,
        names.map((description) => ({ ...newLine(), description })),
      );
      for (const [index, name] of names.entries())
        lines.set(name, { added: added.outcomes[index] as Outcome, removed: null });
      if (random.oneIn(2)) {
        const line = (await freshLines(order)).find(({ description }) => description === names[0]);
        const entry = lines.get(names[0] ?? '');
        if (line && entry) {
          const { outcomes } = await editAll('remove', order, [{ id: line.id, ifMatch: line.etag }]);
          entry.removed = outcomes[0] as Outcome;
        }
      }
      return look(order);
    },

    /** Leaves units of the first line for a later posting. */
    async limitPosting(order: Document): Promise<Document | null> {
      const [line] = await freshLines(order);
      if (!line) return order;
      await editAll('update', order, [
        { id: line.id, ifMatch: line.etag, patch: { shipQuantity: 1, invoiceQuantity: 1 } },
      ]);
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

/** A record as `GET /sandbox/records` shows it. */
interface Stored {
  readonly values: Readonly<Record<string, unknown>>;
  readonly lines: readonly Readonly<Record<string, unknown>>[];
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

  const named = (documents: readonly Stored[], name: string) =>
    documents.flatMap(({ lines }) => lines).filter(({ description }) => description === name);
  for (const [name, { added, removed }] of life.lines) {
    const inOrder = named(orders, name).length;
    const isThere = inOrder > 0 || named(invoices, name).length > 0;
    if (inOrder > 1 || invoices.some((one) => named([one], name).length > 1))
      faults.push(`${name} is doubled`);
    if (isThere && added === 'refused') faults.push(`${name} was refused, but is there`);
    if (isThere && removed === 'made') faults.push(`${name} was removed, but is there`);
    if (!isThere && added === 'made' && (removed === null || removed === 'refused'))
      faults.push(`${name} was added, but is not there`);
  }
  return faults.map((fault) => `${life.marker} ${fault}\n    ${life.trace.join('\n    ')}`);
}
