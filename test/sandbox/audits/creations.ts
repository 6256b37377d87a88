import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, writeRule } from './audit.ts';
import { documentedSets, mistakeIn } from './documented.ts';
import { nobody } from './shapes.ts';
import type { Reply, Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

const orders = (upstream: Upstream, options = {}) => upstream.path('salesOrders', options);

async function customerOf(upstream: Upstream): Promise<Json> {
  const rows = await upstream.sample('customers');
  const open = rows.find((row) => !['Ship', 'Invoice', 'All'].includes(row.blocked));
  return needed(open, 'customer who is not blocked');
}

async function itemOf(upstream: Upstream): Promise<Json> {
  const item = (await upstream.sample('items')).find((row) => row.blocked === false);
  return needed(item, 'item that is not blocked');
}

/** What the lines are called where they are created and read. */
const linesOf = ({ dialect }: Upstream) => (dialect === 'document' ? 'documentLines' : 'salesOrderLines');

/** Holds for an order that was created, and deletes it where that is possible. */
async function onCreated(upstream: Upstream, reply: Reply, check: (order: Json) => void): Promise<void> {
  hold(reply.status === 201, `${answerOf(reply)} to the creation`);
  const path = upstream.path('salesOrders', {}, reply.body.id);
  try {
    check(reply.body);
    check(await upstream.read(`${path}?$expand=${linesOf(upstream)}`));
  } finally {
    await upstream.send('DELETE', path, { headers: { 'if-match': '*' } });
  }
}

/** Creation of orders. */
export const creations: readonly Audit[] = [
  writeRule('A.state.1', 'A created sales order has status Draft', async (upstream) => {
    const { number } = await customerOf(upstream);
    const reply = await upstream.send('POST', orders(upstream), { body: { customerNumber: number } });
    await onCreated(upstream, reply, (order) => hold(order.status === 'Draft', `it is ${order.status}`));
  }),
  writeRule(
    'A.create.3',
    "The document's input fields are taken over, and the answer is the whole order",
    async (upstream) => {
      const { number, paymentTermsId } = await customerOf(upstream);
      const body = { customerNumber: number, orderDate: '2025-10-01', paymentTermsId };
      const reply = await upstream.send('POST', orders(upstream), { body });
      await onCreated(upstream, reply, (order) => {
        const mistake = mistakeIn(order, documentedSets.salesOrders ?? {});
        hold(mistake === undefined, String(mistake));
        for (const [name, value] of Object.entries(body))
          hold(order[name] === value, `'${name}' is ${order[name]} instead of ${value}`);
      });
    },
  ),
  writeRule('A.create.4', 'Lines nested in a new order are created with it', async (upstream) => {
    const lines = linesOf(upstream);
    const [customer, item] = [await customerOf(upstream), await itemOf(upstream)];
    const body = {
      customerId: customer.id,
      [lines]: [2, 3].map((quantity) => ({ itemId: item.id, quantity })),
    };
    const reply = await upstream.send('POST', orders(upstream, { $expand: lines }), { body });
    await onCreated(upstream, reply, (order) => {
      hold(Array.isArray(order[lines]), `the order has no array '${lines}'`);
      const quantities = order[lines].map((line: Json) => line.quantity);
      hold(quantities.join() === '2,3', `the quantities of the lines are ${quantities}`);
      const numbers = order[lines].map((line: Json) => line.itemNo ?? line.lineObjectNumber);
      hold(
        numbers.every((one: Json) => one === item.number),
        `the items of the lines are ${numbers}`,
      );
    });
  }),
  writeRule(
    'A.value.14',
    'The code of a new order is stored in upper case, its text as it is',
    async (upstream) => {
      const { id } = await customerOf(upstream);
      const body = { customerId: id, externalDocumentNumber: 'po-77/b', shipToName: 'Audited Name' };
      const reply = await upstream.send('POST', orders(upstream), { body });
      await onCreated(upstream, reply, ({ externalDocumentNumber: code, shipToName: text }) => {
        hold(code === 'PO-77/B', `'externalDocumentNumber' is ${code}`);
        hold(text === 'Audited Name', `'shipToName' is ${text}`);
      });
    },
  ),
  writeRule('A.recalc.9', 'The totals of an order add up, and follow its discount', async (upstream) => {
    const [customer, item] = [await customerOf(upstream), await itemOf(upstream)];
    const line = { itemId: item.id, quantity: 4, unitPrice: 25 };
    const body = { customerId: customer.id, [linesOf(upstream)]: [line] };
    const reply = await upstream.send('POST', orders(upstream), { body });
    const holdSum = (order: Json, discount: number) => {
      const { totalAmountExcludingTax: net, totalTaxAmount: tax, totalAmountIncludingTax: gross } = order;
      hold(Math.abs(net + tax - gross) < 0.02, `${net} and a tax of ${tax} are ${gross}`);
      const left = order.pricesIncludeTax === true ? gross : net;
      hold(Math.abs(left - (100 - discount)) < 0.02, `a discount of ${discount} leaves ${left} of 100`);
    };
    await onCreated(upstream, reply, (order) => holdSum(order, 0));
    const another = await upstream.send('POST', orders(upstream), { body });
    hold(another.status === 201, `${answerOf(another)} to the creation`);
    const path = upstream.path('salesOrders', {}, another.body.id);
    const headers = { 'if-match': '*' };
    const changed = await upstream.send('PATCH', path, { body: { discountAmount: 10 }, headers });
    await upstream.send('DELETE', path, { headers });
    hold(changed.status === 200, `${answerOf(changed)} to the PATCH of the discount`);
    holdSum(changed.body, 10);
  }),
  writeRule('A.create.5', 'Without a customer an order is refused', async (upstream) => {
    const reply = await upstream.send('POST', orders(upstream), { body: { orderDate: '2025-10-01' } });
    hold(reply.status === 400, answerOf(reply));
  }),
  writeRule(
    'A.create.6',
    'An order with a line of an unknown item is refused and not created',
    async (upstream) => {
      const { id } = await customerOf(upstream);
      const before = await upstream.count('salesOrders');
      const body = { customerId: id, [linesOf(upstream)]: [{ itemId: nobody, quantity: 1 }] };
      const reply = await upstream.send('POST', orders(upstream), { body });
      hold(reply.status >= 400 && reply.status < 500, answerOf(reply));
      const after = await upstream.count('salesOrders');
      hold(after === before, `there were ${before} orders and are now ${after}`);
    },
  ),
  writeRule('A.batch.12', 'An order is created with its lines in a batch', async (upstream) => {
    const [customer, item] = [await customerOf(upstream), await itemOf(upstream)];
    const lines = linesOf(upstream);
    const body = { customerId: customer.id, [lines]: [{ itemId: item.id, quantity: 2 }] };
    const headers = { 'Content-Type': 'application/json' };
    const batch = await upstream.batch([
      { method: 'POST', url: orders(upstream, { $expand: lines }), headers, body },
    ]);
    const [part] = batch.body?.responses ?? [];
    hold(part !== undefined, `${answerOf(batch)} to the batch`);
    await onCreated(upstream, { ...batch, ...part }, (order) =>
      hold(order[lines]?.length === 1, `the order has ${order[lines]?.length} lines`),
    );
  }),
];
