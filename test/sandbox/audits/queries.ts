import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, needed, readRule, skip } from './audit.ts';
import { first } from './shapes.ts';
import type { Upstream } from './upstream.ts';
import { answerOf } from './upstream.ts';

async function holdRefused(upstream: Upstream, set: string, option: string, value: string): Promise<void> {
  const reply = await upstream.send('GET', upstream.path(set, { [option]: value }));
  hold(reply.status === 400, `${answerOf(reply)} for ${set}?${option}=${value}`);
}

function holdNames(record: Json, wanted: readonly string[]): void {
  const names = Object.keys(record).filter((name) => !name.includes('@'));
  hold(
    names.sort().join() === [...wanted].sort().join(),
    `the fields are ${names.join()} instead of ${wanted.join()}`,
  );
}

function holdItem(line: Json): void {
  const { item } = line;
  const number = line.itemNo ?? line.lineObjectNumber;
  hold('item' in line && 'account' in line, "a line has no 'item' or no 'account'");
  if (item === null || item === undefined) return;
  hold(item.number === number, `the line names the item ${number}, its item is ${item.number}`);
  const code = item.itemCategory?.code ?? '';
  hold(
    code === item.itemCategoryCode,
    `the item's category is '${item.itemCategoryCode}', expanded '${code}'`,
  );
}

/** `$select`, `$expand`, `$orderby`, `$top`, `$skip` and `$count`. */
export const queries: readonly Audit[] = [
  readRule('A.select.1', 'Only the fields named are returned, with the entity tag', async (upstream) => {
    const { id } = await first(upstream, 'customers');
    const options = { $select: 'number,displayName' };
    const [listed] = await upstream.list('customers', { ...options, $top: 1 });
    for (const record of [listed, await upstream.read(upstream.path('customers', options, id))]) {
      holdNames(record, ['number', 'displayName']);
      hold(typeof record['@odata.etag'] === 'string', "there is no '@odata.etag'");
    }
  }),
  readRule('A.select.3', 'An unknown name in $select is 400', (upstream) =>
    holdRefused(upstream, 'customers', '$select', 'id,noSuchField'),
  ),
  readRule('A.expand.1', "The document's example is answered, nested and with a filter", async (upstream) => {
    const { orderDate } = await first(upstream, 'salesOrders');
    const orders = await upstream.list('salesOrders', {
      $filter: `orderDate ge ${orderDate}`,
      $expand: 'paymentTerm,salesOrderLines($expand=account,item($expand=itemCategory))',
      $top: 20,
    });
    hold(orders.length > 0, `no order since ${orderDate} is found, but there is one`);
    for (const order of orders) {
      hold(order.orderDate >= orderDate, `an order of ${order.orderDate} is found`);
      hold('paymentTerm' in order, "an order has no 'paymentTerm'");
      const terms = order.paymentTerm?.id ?? order.paymentTermsId;
      hold(terms === order.paymentTermsId, 'the payment terms expanded are not those of the order');
      hold(Array.isArray(order.salesOrderLines), "an order has no array 'salesOrderLines'");
      for (const line of order.salesOrderLines) holdItem(line);
    }
    const lines: Json[] = orders.flatMap((order) => order.salesOrderLines);
    if (!lines.some((line) => line.item?.itemCategory)) skip('no line has an item with a category');
  }),
  readRule('A.expand.3', 'Nested options select and filter the lines', async (upstream) => {
    const nested = '$select=quantity,description;$filter=quantity gt 1';
    const options = { $select: 'id', $expand: `salesOrderLines(${nested})`, $top: 20 };
    const orders = await upstream.list('salesOrders', options);
    for (const order of orders) holdNames(order, ['id', 'salesOrderLines']);
    const lines: Json[] = orders.flatMap((order) => order.salesOrderLines);
    for (const line of lines) {
      holdNames(line, ['quantity', 'description']);
      hold(line.quantity > 1, `a line with the quantity ${line.quantity} passed 'quantity gt 1'`);
    }
    needed(lines[0], 'line with a quantity above 1');
  }),
  readRule('A.expand.4', 'The customer of an order comes as selected', async (upstream) => {
    const { id, customerNumber } = await first(upstream, 'salesOrders');
    const order = await upstream.read(
      upstream.path('salesOrders', { $expand: 'customer($select=number)' }, id),
    );
    hold(typeof order.customer === 'object' && order.customer !== null, "there is no object 'customer'");
    holdNames(order.customer, ['number']);
    hold(order.customer.number === customerNumber, `it is ${order.customer.number}, not ${customerNumber}`);
  }),
  readRule('A.expand.5', 'Expanding what does not exist is 400', async (upstream) => {
    await holdRefused(upstream, 'salesOrders', '$expand', 'noSuchWay');
    await holdRefused(upstream, 'salesOrders', '$expand', 'salesOrderLines($expand=noSuchWay)');
  }),
  readRule('A.order.1', 'Records are sorted as asked', async (upstream) => {
    const sorted = async (direction: string) => {
      const options = { $orderby: `unitPrice${direction}`, $select: 'unitPrice', $top: 100 };
      return (await upstream.list('items', options)).map((row) => row.unitPrice as number);
    };
    const [rising, falling] = [await sorted(''), await sorted(' desc')];
    if (rising[0] === falling[0]) skip('all items have one price');
    hold(
      rising.every((price, index) => index === 0 || price >= (rising[index - 1] ?? price)),
      'the prices do not rise',
    );
    hold(
      falling.every((price, index) => index === 0 || price <= (falling[index - 1] ?? price)),
      'the prices do not fall',
    );
  }),
  readRule(
    'A.order.3',
    'Ordering by an unknown field, and a $top that is no count, are 400',
    async (upstream) => {
      await holdRefused(upstream, 'customers', '$orderby', 'noSuchField');
      await holdRefused(upstream, 'customers', '$top', '-1');
    },
  ),
  readRule('A.top.1', '$skip and $top cut a piece out of the ordered list', async (upstream) => {
    const ordered = { $orderby: 'number', $select: 'id' };
    const ids = (await upstream.list('customers', { ...ordered, $top: 6 })).map((row) => row.id);
    if (ids.length < 6) skip('there are fewer than six customers');
    const piece = (await upstream.list('customers', { ...ordered, $skip: 2, $top: 3 })).map((row) => row.id);
    hold(piece.join() === ids.slice(2, 5).join(), 'the piece is not the third to the fifth record');
  }),
  readRule('A.count.1', '$count=true counts what passes the filter, whatever $top says', async (upstream) => {
    const { blocked } = await first(upstream, 'items');
    const filter = `blocked eq ${blocked}`;
    const options = { $filter: filter, $select: 'id' };
    const counted = await upstream.count('items', filter);
    if (counted > 10_000) skip(`${counted} records are too many to be counted`);
    const rows = await upstream.list('items', options);
    hold(rows.length === counted, `@odata.count is ${counted}, there are ${rows.length} records`);
  }),
];
