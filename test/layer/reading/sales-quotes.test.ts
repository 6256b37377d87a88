import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import type { Json } from '../../support/json.ts';
import { type TestLayer, test } from '../../support/layer.ts';

const set = `/api/v2.0/companies(${sandboxCompanyId})/salesQuotes`;

const dates = 'documentDate postingDate dueDate sentDate validUntilDate acceptedDate';

async function quotes(layer: TestLayer, fields: string): Promise<readonly Json[]> {
  const { data, errors } = await layer.query(
    `{ company { salesQuotes(first: 100) { nodes { ${fields} } } } }`,
  );
  expect(errors).toBeUndefined();
  return data.company.salesQuotes.nodes;
}

test('a list of quotes and one of them by id agree in the requested columns', async ({ layer, sandbox }) => {
  const fields = `id companyId number status ${dates} totalAmountIncludingTax salesQuoteLines { lineNo quantity }`;
  const all = await quotes(layer, fields);
  await sandbox.forgetCalls();

  const one = await layer.query(`query ($id: UUID!) { company { salesQuote(id: $id) { ${fields} } } }`, {
    id: all[7].id,
  });

  expect(all).toHaveLength(60);
  expect(one.errors).toBeUndefined();
  expect(one.data.company.salesQuote).toEqual(all[7]);
  expect((await sandbox.calls()).map(({ path }) => path)).toEqual([
    `${set}(${all[7].id})?$select=id,number,postingDate,totalAmountIncludingTax,status,documentDate,dueDate,sentDate,validUntilDate,acceptedDate&$expand=salesQuoteLines($select=lineNo,quantity)`,
  ]);
});

test('quotes, orders and employees resolve as entities, with one call for each type', async ({
  layer,
  sandbox,
}) => {
  const { data } = await layer.query(`{ company {
    SalesQuote: salesQuotes(first: 3) { nodes { ...quote } }
    SalesOrder: salesOrders(first: 3) { nodes { ...order } }
    Employee: employees(first: 3) { nodes { ...employee } }
  } }
  fragment quote on SalesQuote { id number salesQuoteLines { lineNo } }
  fragment order on SalesOrder { id number documentLines { lineNo } }
  fragment employee on Employee { id number }`);
  const entries = Object.entries(data.company as Record<string, Json>);
  const all = entries.flatMap(([type, { nodes }]) =>
    nodes.map((node: Json) => ({ __typename: type, companyId: sandboxCompanyId, id: node.id })),
  );
  await sandbox.forgetCalls();

  const entities = await layer.query(
    `query ($all: [_Any!]!) { _entities(representations: $all) {
      ... on SalesQuote { id number salesQuoteLines { lineNo } }
      ... on SalesOrder { id number documentLines { lineNo } }
      ... on Employee { id number }
    } }`,
    { all },
  );

  expect(entities.errors).toBeUndefined();
  expect(entities.data._entities).toEqual(entries.flatMap(([, { nodes }]) => nodes));
  expect(await sandbox.calls()).toHaveLength(3);
});

test('a quote that does not exist is null, not an error', async ({ layer }) => {
  const { data, errors } = await layer.query(
    '{ company { salesQuote(id: "99999999-0000-4000-8000-000000000000") { number } } }',
  );

  expect(errors).toBeUndefined();
  expect(data).toEqual({ company: { salesQuote: null } });
});

test("the status of a quote is the upstream's word", async ({ layer }) => {
  const all = await quotes(layer, 'status');

  expect(new Set(all.map(({ status }) => status))).toEqual(
    new Set(['Draft', 'Sent', 'Accepted', 'Expired ']),
  );
});

test('a word is returned as it is, with the blank behind it, by which filters find it, and a new one, too', async ({
  layer,
  sandbox,
}) => {
  const row = (digit: string, status: string) => ({
    id: `${digit.repeat(8)}-0000-4000-8000-000000000000`,
    status,
  });
  const value = [row('1', 'Expired'), row('2', 'Expired_x0020_'), row('3', 'Withdrawn')];
  await sandbox.fault({ path: '/salesQuotes', status: 200, body: { value } });

  expect(await quotes(layer, 'status')).toEqual([
    { status: 'Expired' },
    { status: 'Expired ' },
    { status: 'Withdrawn' },
  ]);
});

test('a date not yet reached is null: the sent date of a draft, the accepted date of an open quote', async ({
  layer,
}) => {
  const all = await quotes(layer, `status ${dates} currencyId shipmentMethodId shipmentMethod { id }`);

  for (const quote of all) {
    expect(quote.sentDate === null).toBe(quote.status === 'Draft');
    expect(quote.acceptedDate !== null).toBe(quote.status === 'Accepted');
    expect(quote.dueDate).toMatch(/^\d{4}-\d\d-\d\d$/);
    expect(quote.shipmentMethod?.id ?? null).toBe(quote.shipmentMethodId);
  }
  const sent = all.filter(({ status }) => status !== 'Draft');
  expect(sent.some(({ validUntilDate }) => validUntilDate === null)).toBe(true);
  expect(sent.some(({ validUntilDate }) => validUntilDate !== null)).toBe(true);
  expect(JSON.stringify(all)).not.toMatch(/0001-01-01|00000000-0000/);
});

test('quotes with their customers, all related records, and the item of every line take two upstream calls', async ({
  layer,
  sandbox,
}) => {
  const all = await quotes(
    layer,
    `customerId customer { id number } customerNumber billToCustomerId billToCustomer { id }
     paymentTermsId paymentTerm { id code } currencyId currency { id code } currencyCode shipmentMethodId shipmentMethod { id }
     salesQuoteLines {
       lineType lineNo itemNo accountId unitOfMeasureId unitOfMeasureCode
       item { number displayName } account { id number displayName } unitOfMeasure { id code }
     }`,
  );

  for (const quote of all) {
    expect(quote.customer).toEqual({ id: quote.customerId, number: quote.customerNumber });
    expect(quote.billToCustomer.id).toBe(quote.billToCustomerId);
    expect(quote.paymentTerm.id).toBe(quote.paymentTermsId);
    expect(quote.currency?.id ?? null).toBe(quote.currencyId);
    if (quote.currency) expect(quote.currency.code).toBe(quote.currencyCode);
    expect(quote.shipmentMethod?.id ?? null).toBe(quote.shipmentMethodId);
  }
  expect(all.some(({ currency }) => currency !== null)).toBe(true);
  expect(all.some(({ customerId, billToCustomerId }) => customerId !== billToCustomerId)).toBe(true);
  const lines: Json[] = all.flatMap(({ salesQuoteLines }) => salesQuoteLines);
  for (const line of lines) {
    expect(line.item?.number).toBe(line.lineType === 'Item' ? line.itemNo : undefined);
    expect(line.account?.id).toBe(line.lineType === 'Account' ? line.accountId : undefined);
    expect(line.unitOfMeasure?.id ?? null).toBe(line.unitOfMeasureId);
    if (line.unitOfMeasure) expect(line.unitOfMeasure.code).toBe(line.unitOfMeasureCode);
  }
  expect(new Set(lines.map(({ lineType }) => lineType))).toEqual(new Set(['Item', 'Account', 'Comment']));
  const [list, ...others] = (await sandbox.calls()).map(({ path }) => decodeURIComponent(path));
  expect(list).toContain(
    '$expand=customer($select=id,number),currency($select=id,code),paymentTerm($select=id,code),shipmentMethod($select=id),salesQuoteLines($select=lineType,lineNo,itemNo,accountId,unitOfMeasureId,unitOfMeasureCode;$expand=item($select=id,number,displayName),account($select=id,number,displayName),unitOfMeasure($select=id,code))',
  );
  // Who pays can only be loaded by id.
  expect(others.map((path) => /\/(\w+)\?/.exec(path)?.[1])).toEqual(['customers']);
});

test("a customer's quotes are those that name the customer, and match the filter", async ({
  layer,
  sandbox,
}) => {
  const all = await quotes(layer, 'id status customerId');
  const draft = all.find(({ status }) => status === 'Draft');
  const sent = all.find(({ status }) => status === 'Sent');
  await sandbox.forgetCalls();

  const { data, errors } = await layer.query(
    `query ($draft: UUID!, $sent: UUID!, $filter: SalesQuoteFilter) { company {
      draft: customer(id: $draft) { ...own } sent: customer(id: $sent) { ...own }
    } }
    fragment own on Customer {
      salesQuotes { totalCount nodes { id customer { id } } }
      open: salesQuotes(filter: $filter, orderBy: [DUE_DATE_DESC]) { nodes { id } }
    }`,
    {
      draft: draft.customerId,
      sent: sent.customerId,
      filter: { or: [{ status: { eq: 'Draft' } }, { number: { eq: 'none' } }] },
    },
  );

  expect(errors).toBeUndefined();
  const listOf = ({ id, customerId }: Json) => ({
    totalCount: 1,
    nodes: [{ id, customer: { id: customerId } }],
  });
  expect(data.company).toEqual({
    draft: { salesQuotes: listOf(draft), open: { nodes: [{ id: draft.id }] } },
    sent: { salesQuotes: listOf(sent), open: { nodes: [] } },
  });
  const asked = (await sandbox.calls()).map(({ path }) => new URLSearchParams(path.split('?')[1]));
  const ofDraft = asked.filter((query) =>
    query.get('$filter')?.startsWith(`customerId eq ${draft.customerId}`),
  );
  expect(ofDraft.map((query) => [query.get('$filter'), query.get('$orderby')])).toEqual([
    [`customerId eq ${draft.customerId}`, null],
    [`customerId eq ${draft.customerId} and (status eq 'Draft' or number eq 'none')`, 'dueDate desc'],
  ]);
});

test("expired quotes are found by the upstream's value for them", async ({ layer, sandbox }) => {
  const { data } = await layer.query(
    '{ company { salesQuotes(filter: { status: { eq: "Expired " } }) { totalCount nodes { status } } } }',
  );

  expect(data.company.salesQuotes.totalCount).toBe(12);
  for (const quote of data.company.salesQuotes.nodes) expect(quote).toEqual({ status: 'Expired ' });
  const [call] = await sandbox.calls();
  expect(call?.path).toContain("$filter=status%20eq%20'Expired%20'");
});
