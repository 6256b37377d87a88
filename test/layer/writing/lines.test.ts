import { expect } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import { codesOf, shapesOf, type Values } from '../../support/cases/every-input.ts';
import type { Json } from '../../support/json.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const settings = { BUSINESS_DIALECT: 'dynamics', WRITE_TIMEOUT_MS: '400', POLL_RECORDS_MS: '50' };
const test = testWith({ dialect: 'dynamics' }, settings);

const inCompany = `/api/v2.0/companies(${sandboxCompanyId})`;
const absent = '00c0ffee-0000-4000-8000-000000000001';

/** A new document with so many lines of one piece at 10.00 each, as the upstream holds it. */
async function createDocument(sandbox: TestSandbox, count: number): Promise<Json> {
  const line = { lineObjectNumber: '1004', quantity: 1, unitPrice: 10 };
  const body = { customerNumber: 'C10000', salesOrderLines: Array.from({ length: count }, () => line) };
  const response = await sandbox.send('POST', `${inCompany}/salesOrders?$expand=salesOrderLines`, body);
  expect(response.status).toBe(201);
  await sandbox.forgetCalls();
  return response.json();
}

/** The document as the upstream holds it, with its lines in their order; calls so far stay in the journal. */
async function stored(sandbox: TestSandbox, id: string): Promise<Json> {
  const response = await sandbox.send(
    'GET',
    `${inCompany}/salesOrders(${id})?$expand=salesOrderLines`,
    undefined,
    {
      'data-access-intent': 'ReadWrite',
    },
  );
  return response.json();
}

const results = 'line { id etag lineNo quantity currencyCode } userErrors { code message path }';

async function write(
  layer: TestLayer,
  verb: 'add' | 'update' | 'remove',
  id: string,
  entries: readonly Values[],
  {
    atomic = false,
    owner = `salesOrder { id etag totalAmountExcludingTax documentLines { id quantity } }`,
    selected = results,
  } = {},
) {
  const name = `${verb}SalesOrderLines`;
  const { data, errors } = await layer.query(
    `mutation ($input: ${name[0]?.toUpperCase()}${name.slice(1)}Input!) { ${name}(input: $input) {
      ${owner} results { ${verb === 'remove' ? 'deletedId' : ''} ${selected} }
    } }`,
    { input: { orderId: id, entries, atomic } },
  );
  return { payload: data?.[name], errors };
}

const keyOf = (line: Json) => ({ id: line.id, ifMatch: line['@odata.etag'] });
const changeOf = (line: Json, quantity: string) => ({ ...keyOf(line), patch: { quantity } });
const methods = async (sandbox: TestSandbox) => (await sandbox.calls()).map(({ method }) => method);

test('changing 20 lines is 2 calls: a batch in the order of the entries, and a read of the primary', async ({
  layer,
  sandbox,
}) => {
  const document = await createDocument(sandbox, 20);
  const entries = document.salesOrderLines.map((line: Json) => changeOf(line, '2'));

  const { payload, errors } = await write(layer, 'update', document.id, entries);

  expect(errors).toBeUndefined();
  expect(codesOf(payload.results)).toEqual(Array(20).fill(''));
  expect(payload.results.map(({ line }: Json) => [line.id, line.quantity, line.currencyCode])).toEqual(
    entries.map(({ id }: Json) => [id, '2', 'USD']),
  );
  expect(payload.salesOrder).toMatchObject({ id: document.id, totalAmountExcludingTax: '400' });
  expect(payload.salesOrder.etag).not.toBe(document['@odata.etag']);
  const [batch, read, ...others] = await sandbox.calls();
  expect(others).toEqual([]);
  expect(batch?.headers.isolation).toBeUndefined();
  const lines = `${inCompany}/salesOrders(${document.id})/salesOrderLines`;
  expect(batch?.parts?.map(({ method, path, status }) => [method, path, status])).toEqual(
    entries.map(({ id }: Json) => ['PATCH', `${lines}(${id})`, 200]),
  );
  const [first] = JSON.parse(batch?.body ?? '').requests;
  expect(first).toMatchObject({ headers: { 'if-match': entries[0].ifMatch }, body: { quantity: 2 } });
  expect(read).toMatchObject({ method: 'GET', headers: { 'data-access-intent': 'ReadWrite' } });
});

test('added lines get numbers after the last, one call adds one, and the read is left out with the document', async ({
  layer,
  sandbox,
}) => {
  const document = await createDocument(sandbox, 2);
  const entries = [{ lineType: 'Item', itemNo: '1004', quantity: '3', unitPrice: '1.10' }];

  const selected = 'line { id lineNo itemNo unitPrice } userErrors { code }';
  const { payload, errors } = await write(layer, 'add', document.id, entries, {
    owner: '__typename',
    selected,
  });

  expect(errors).toBeUndefined();
  expect(payload.results).toMatchObject([
    { line: { lineNo: 30_000, itemNo: '1004', unitPrice: '1.1' }, userErrors: [] },
  ]);
  const [post, ...others] = await sandbox.calls();
  expect(others).toEqual([]);
  expect(post).toMatchObject({
    method: 'POST',
    path: `${inCompany}/salesOrders(${document.id})/salesOrderLines`,
    body: '{"lineType":"Item","lineObjectNumber":"1004","quantity":3,"unitPrice":1.10}',
  });
  const after = await stored(sandbox, document.id);
  expect(after.salesOrderLines.map((line: Json) => line.id)).toContain(payload.results[0].line.id);
  expect(after.totalAmountExcludingTax).toBe(23.3);
});

test('removed lines are gone, and the document has its new totals', async ({ layer, sandbox }) => {
  const document = await createDocument(sandbox, 3);
  const [first, second, third] = document.salesOrderLines;

  const { payload } = await write(layer, 'remove', document.id, [keyOf(first), keyOf(third)]);

  expect(payload.results).toMatchObject([
    { deletedId: first.id, line: null, userErrors: [] },
    { deletedId: third.id, line: null, userErrors: [] },
  ]);
  expect(payload.salesOrder).toMatchObject({
    totalAmountExcludingTax: '10',
    documentLines: [{ id: second.id, quantity: '1' }],
  });
  expect(await shapesOf(sandbox)).toEqual(['2 DELETE', 'GET']);
});

test('a stale line is STALE_RECORD with the line as it is now; the other entries go on', async ({
  layer,
  sandbox,
}) => {
  const document = await createDocument(sandbox, 3);
  const [first, second, third] = document.salesOrderLines;
  await write(layer, 'update', document.id, [changeOf(first, '5')]);

  const { payload } = await write(layer, 'update', document.id, [
    changeOf(first, '6'),
    changeOf(second, '7'),
  ]);
  const removal = await write(layer, 'remove', document.id, [keyOf(first), keyOf(third)]);

  expect(codesOf(payload.results)).toEqual(['STALE_RECORD', '']);
  expect(payload.results[0]).toMatchObject({
    line: { id: first.id, quantity: '5' },
    userErrors: [{ path: ['input', 'entries', '0', 'ifMatch'] }],
  });
  expect(codesOf(removal.payload.results)).toEqual(['STALE_RECORD', '']);
  expect(removal.payload.results[0]).toMatchObject({ deletedId: null, line: { quantity: '5' } });
  const again = { id: first.id, ifMatch: payload.results[0].line.etag, patch: { quantity: '6' } };
  expect(codesOf((await write(layer, 'update', document.id, [again])).payload.results)).toEqual(['']);
});

test('an atomic change is one transaction: if one entry fails, no line is changed', async ({
  layer,
  sandbox,
}) => {
  const document = await createDocument(sandbox, 2);
  const [first, second] = document.salesOrderLines;
  const entries = [changeOf(first, '8'), { ...changeOf(second, '8'), ifMatch: 'W/"old"' }];

  const { payload } = await write(layer, 'update', document.id, entries, { atomic: true });

  expect(codesOf(payload.results)).toEqual(['CONFLICT', 'STALE_RECORD']);
  expect((await sandbox.calls())[0]?.headers).toMatchObject({ isolation: 'snapshot' });
  expect((await stored(sandbox, document.id)).salesOrderLines).toEqual(document.salesOrderLines);
});

test.for([
  ['does not exist', absent, 'NOT_FOUND'],
  ['exists', null, null],
] as const)(
  'a 404 to a line whose document %s is told by a list of documents',
  async ([, id, code], { layer, sandbox }) => {
    const document = await createDocument(sandbox, 1);
    await sandbox.fault({
      method: 'POST',
      path: 'salesOrderLines',
      status: 404,
      body: { error: { code: 'BadRequest_ResourceNotFound', message: 'No such segment.' } },
    });

    const { payload, errors } = await write(layer, 'add', id ?? document.id, [
      { lineType: 'Item', itemNo: '1004' },
    ]);

    if (code) expect(codesOf(payload.results)).toEqual([code]);
    else expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_NOT_FOUND']);
  },
);

test.for(['before', 'after'] as const)(
  'added lines whose connection is reset %s they are added are never sent again: OUTCOME_UNKNOWN, with the document',
  async (reset, { layer, sandbox }) => {
    const document = await createDocument(sandbox, 1);
    await sandbox.fault({ method: 'POST', path: '$batch', reset });
    const entries = [
      { lineType: 'Item', itemNo: '1004', quantity: '2' },
      { lineType: 'Item', itemNo: '1004', quantity: '3' },
    ];

    const { payload } = await write(layer, 'add', document.id, entries);

    expect(codesOf(payload.results)).toEqual(['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN']);
    expect(payload.salesOrder.documentLines).toHaveLength(reset === 'after' ? 3 : 1);
    expect((await methods(sandbox)).filter((method) => method === 'POST')).toHaveLength(1);
    expect((await stored(sandbox, document.id)).salesOrderLines).toHaveLength(reset === 'after' ? 3 : 1);
  },
);

test.for([
  ['reset before it is carried out', { reset: 'before' }, ''],
  ['reset after it is carried out', { reset: 'after' }, ''],
  // The second delivery of a delete finds nothing, as with any record.
  ['delivered twice', { repeat: true }, 'NOT_FOUND'],
] as const)(
  'a change and a removal that are %s are made once, and settled by the line',
  async ([_what, fault, removalCode], { layer, sandbox }) => {
    const document = await createDocument(sandbox, 3);
    const [first, second, third] = document.salesOrderLines;

    await sandbox.fault({ method: 'PATCH', ...fault });
    const changed = await write(layer, 'update', document.id, [changeOf(first, '4')]);
    await sandbox.fault({ method: 'DELETE', ...fault });
    const removed = await write(layer, 'remove', document.id, [keyOf(second)]);

    expect(codesOf(changed.payload.results)).toEqual(['']);
    expect(changed.payload.results[0].line).toMatchObject({ id: first.id, quantity: '4' });
    expect(codesOf(removed.payload.results)).toEqual([removalCode]);
    const lines = (await stored(sandbox, document.id)).salesOrderLines;
    expect(lines.map((line: Json) => [line.id, line.quantity])).toEqual([
      [first.id, 4],
      [third.id, 1],
    ]);
  },
);
test('a change of a line is a change of its document', async ({ layer, sandbox }) => {
  const document = await createDocument(sandbox, 1);
  const events = layer
    .watch('subscription ($ids: [UUID!]) { recordChanged(types: [SALES_ORDER], ids: $ids) { change id } }', {
      ids: [document.id],
    })
    [Symbol.asyncIterator]();
  const next = events.next();
  await expect.poll(async () => (await sandbox.calls()).length).toBeGreaterThan(0);

  await write(layer, 'update', document.id, [changeOf(document.salesOrderLines[0], '2')]);

  expect((await next).value.data.recordChanged).toEqual({ change: 'CHANGED', id: document.id });
  await events.return?.();
});
