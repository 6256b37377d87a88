import type { Json } from '../../support/json.ts';
import type { Audit } from './audit.ts';
import { hold, readRule, skip } from './audit.ts';
import { anySet, first } from './shapes.ts';
import { answerOf } from './upstream.ts';

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

/** More records than this are not walked through. */
const walkable = 5_000;
const links = 12;

/** `$select`, `$expand`, `$orderby`, `$count`, continuation and the longest address. */
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
    'A.page.1',
    'Continuation links lead through all records once, none missing and none twice',
    { isOfEveryRoute: true },
    async (upstream) => {
      const set = anySet(upstream);
      const count = await upstream.count(set);
      if (count < 5 || count > walkable) skip(`there are ${count} records in ${set}`);
      const size = Math.ceil(count / 4);
      const headers = { prefer: `odata.maxpagesize=${size}` };
      const ids: string[] = [];
      let next: string | undefined = upstream.path(set, { $select: 'id' });
      for (let page = 0; next !== undefined; page += 1) {
        hold(page < links, `the links do not end after ${links} pages of ${size} out of ${count} records`);
        const body: Json = await upstream.read(next, { headers });
        hold(body.value.length <= size, `a page has ${body.value.length} records, ${size} were asked for`);
        ids.push(...body.value.map((row: Json) => row.id));
        next = body['@odata.nextLink'];
      }
      const all = (await upstream.list(set, { $select: 'id' })).map((row) => row.id);
      hold(new Set(ids).size === ids.length, `${ids.length - new Set(ids).size} records come twice`);
      const missing = all.filter((id) => !ids.includes(id));
      hold(missing.length === 0, `${missing.length} records do not come at all`);
    },
  ),
  readRule(
    'A.limit.1',
    'A query string longer than 8,099 characters is 414, one as long is answered',
    { isOfEveryRoute: true },
    async (upstream) => {
      const beginning = '$top=1&$select=id&note=';
      const path = (length: number) =>
        `${upstream.path(anySet(upstream))}?${beginning}${'x'.repeat(length - beginning.length)}`;
      const longest = await upstream.send('GET', path(8_099));
      hold(longest.status === 200, `${answerOf(longest)} for 8,099 characters`);
      const longer = await upstream.send('GET', path(8_100));
      hold(longer.status === 414, `${answerOf(longer)} for 8,100 characters`);
    },
  ),
];
