import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, vi } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed.ts';
import type { Values } from '../../support/cases/every-input.ts';
import type { Json } from '../../support/json.ts';
import { startBeforeStub, type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';
import type { StubAnswer, StubRequest } from '../../support/stub.ts';

const settings = { BUSINESS_DIALECT: 'dynamics', WRITE_TIMEOUT_MS: '400' };
const test = testWith({ dialect: 'dynamics' }, settings);

const pausesMs = [50, 100, 200, 400, 800];

// Leaves out the pauses between the reads that look for what became of an action.
beforeAll(() => {
  const { setTimeout: wait } = timers;
  vi.spyOn(timers, 'setTimeout').mockImplementation((ms, ...rest) =>
    wait(pausesMs.includes(ms ?? 0) ? 0 : ms, ...rest),
  );
  syncBuiltinESMExports();
});
afterAll(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

const inCompany = `/api/v2.0/companies(${sandboxCompanyId})`;
const absent = '00c0ffee-0000-4000-8000-000000000001';
const primary = { 'data-access-intent': 'ReadWrite' };

/** A new document with a line of two pieces at 10.00, as the upstream holds it. */
async function create(
  sandbox: TestSandbox,
  set: 'salesOrders' | 'salesQuotes' | 'salesInvoices' | 'salesCreditMemos',
  line: Values = {},
): Promise<Json> {
  const lines = `${set.slice(0, -1)}Lines`;
  const body = {
    customerNumber: 'C10000',
    [lines]: [{ lineObjectNumber: '1004', quantity: 2, unitPrice: 10, ...line }],
  };
  const response = await sandbox.send('POST', `${inCompany}/${set}?$expand=${lines}`, body);
  expect(response.status).toBe(201);
  await sandbox.forgetCalls();
  return response.json();
}

/** The draft of an invoice, made from a quote. */
async function draftInvoice(sandbox: TestSandbox): Promise<Json> {
  const quote = await create(sandbox, 'salesQuotes');
  const made = await sandbox.send('POST', `${inCompany}/salesQuotes(${quote.id})/Microsoft.NAV.makeInvoice`);
  const response = await sandbox.send('GET', new URL(made.headers.get('location') ?? '').pathname);
  await sandbox.forgetCalls();
  return response.json();
}

const list = async (sandbox: TestSandbox, set: string, query = ''): Promise<readonly Json[]> => {
  const response = await sandbox.send('GET', `${inCompany}/${set}${query}`, undefined, primary);
  return ((await response.json()) as Json).value;
};

const invoicesOf = (sandbox: TestSandbox, { number }: Json) =>
  list(sandbox, 'salesInvoices', `?$filter=orderNumber eq '${number}'&$expand=salesInvoiceLines`);

const methods = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, path }) => `${method} ${path.replace(/^.*[./]|[?(].*$/g, '')}`);

const selections: Readonly<Record<string, string>> = {
  shipAndInvoiceSalesOrder: 'salesOrder { id etag } salesInvoice { number status totalAmountIncludingTax }',
  makeOrderFromQuote: 'salesQuote { id } salesOrder { id number status totalAmountIncludingTax }',
  makeInvoiceFromQuote: 'salesQuote { id } salesInvoice { id number status totalAmountIncludingTax }',
  sendSalesQuote: 'salesQuote { id status }',
  postSalesInvoice: 'salesInvoice { id number status }',
  postAndSendSalesInvoice: 'salesInvoice { id number status }',
  cancelSalesInvoice:
    'salesInvoice { id number status salesCreditMemos { nodes { status totalAmountIncludingTax } } }',
  cancelAndSendSalesInvoice: 'salesInvoice { id number status }',
};

async function act(layer: TestLayer, mutation: string, input: Values) {
  const { data, errors } = await layer.query(
    `mutation ($input: RecordVersionInput!) { ${mutation}(input: $input) {
      ${selections[mutation]} userErrors { code message path upstream { message } }
    } }`,
    { input },
  );
  return { ...data?.[mutation], errors };
}

const keyOf = ({ id, '@odata.etag': ifMatch }: Json): Values => ({ id, ifMatch });
const codesOf = ({ userErrors }: Json): readonly string[] => userErrors.map(({ code }: Json) => code);

describe('shipping and invoicing an order', () => {
  test('is two calls, and gives the invoice; the order is gone', async ({ layer, sandbox }) => {
    const order = await create(sandbox, 'salesOrders');

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

    expect(payload.errors).toBeUndefined();
    const calls = await sandbox.calls();
    expect(calls.map(({ method }) => method)).toEqual(['POST', 'POST']);
    expect(calls[0]).toMatchObject({
      path: `${inCompany}/salesOrders(${order.id})/Microsoft.NAV.shipAndInvoice`,
      headers: expect.objectContaining({ 'if-match': order['@odata.etag'] }),
      body: '',
    });
    const [invoice, ...others] = await invoicesOf(sandbox, order);
    expect(others).toEqual([]);
    expect(invoice).toMatchObject({ orderId: order.id, salesInvoiceLines: [{ quantity: 2 }] });
    expect(payload).toMatchObject({
      salesOrder: null,
      salesInvoice: { number: invoice?.number, status: 'Open' },
      userErrors: [],
    });
    expect(Number(payload.salesInvoice.totalAmountIncludingTax)).toBe(order.totalAmountIncludingTax);
  });

  test('in part keeps the order, with another etag', async ({ layer, sandbox }) => {
    const order = await create(sandbox, 'salesOrders', { shipQuantity: 1, invoiceQuantity: 1 });

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

    expect(payload).toMatchObject({ salesOrder: { id: order.id }, userErrors: [] });
    expect(payload.salesOrder.etag).not.toBe(order['@odata.etag']);
    const invoices = await invoicesOf(sandbox, order);
    expect(invoices.map(({ salesInvoiceLines: [line] }) => line.quantity)).toEqual([1]);
  });

  test('with an old etag is STALE_RECORD with the order; of none, NOT_FOUND', async ({ layer, sandbox }) => {
    const order = await create(sandbox, 'salesOrders');

    const stale = await act(layer, 'shipAndInvoiceSalesOrder', { id: order.id, ifMatch: 'W/"old"' });
    const missing = await act(layer, 'shipAndInvoiceSalesOrder', { id: absent, ifMatch: '*' });

    expect(stale).toMatchObject({
      salesOrder: { id: order.id },
      userErrors: [{ code: 'STALE_RECORD', path: ['input', 'ifMatch'] }],
    });
    expect(missing).toMatchObject({ salesOrder: null, userErrors: [{ code: 'NOT_FOUND' }] });
    expect(await invoicesOf(sandbox, order)).toEqual([]);
  });
});

describe('if its response is lost', () => {
  const path = 'shipAndInvoice';

  test('the invoice of the order that is gone proves it', async ({ layer, sandbox }) => {
    const order = await create(sandbox, 'salesOrders');
    await sandbox.fault({ path, reset: 'after' });

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

    expect(payload).toMatchObject({ salesOrder: null, salesInvoice: { status: 'Open' }, userErrors: [] });
    expect(await invoicesOf(sandbox, order)).toHaveLength(1);
    expect((await methods(sandbox)).filter((call) => call === `POST ${path}`)).toHaveLength(1);
  });

  test.for([
    ['reset before it is carried out', { reset: 'before' }],
    ['answered with 202', { status: 202, body: '' }],
    ['answered with a page', { status: 200, body: '<html>Sign in</html>' }],
    ['answered with an error', { status: 200, body: { error: { code: 'x', message: 'No.' } } }],
    ['answered with a list', { status: 200, body: { value: [] } }],
  ] as const)(
    'one that is %s is OUTCOME_UNKNOWN with the order, and is not sent again',
    async ([, fault], { layer, sandbox }) => {
      const order = await create(sandbox, 'salesOrders');
      await sandbox.fault({ path, ...fault });

      const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

      expect(payload.errors).toBeUndefined();
      expect(payload).toMatchObject({
        salesOrder: { id: order.id, etag: order['@odata.etag'] },
        userErrors: [{ code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('ten minutes') }],
      });
      expect(await invoicesOf(sandbox, order)).toEqual([]);
      expect((await methods(sandbox)).filter((call) => call === `POST ${path}`)).toHaveLength(1);
    },
  );

  test.for([
    ['the whole order', {}],
    ['a part of it', { shipQuantity: 1, invoiceQuantity: 1 }],
  ] as const)('a refusal after %s was posted is OUTCOME_UNKNOWN', async ([, line], { layer, sandbox }) => {
    const order = await create(sandbox, 'salesOrders', line);
    // As the service answers that has posted, and then finds no invoice.
    await sandbox.fault({
      path,
      status: 400,
      after: true,
      body: {
        error: {
          code: 'Internal_RecordNotFound',
          message: 'There is no Sales Invoice Header within the filter.',
        },
      },
    });

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

    expect(payload.errors).toBeUndefined();
    expect(codesOf(payload)).toEqual(['OUTCOME_UNKNOWN']);
    expect(payload.salesInvoice).not.toBeNull();
  });

  test('a success that did nothing is OUTCOME_UNKNOWN', async ({ layer, sandbox }) => {
    const order = await create(sandbox, 'salesOrders');
    await sandbox.fault({ path, status: 204, body: '' });

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

    expect(payload).toMatchObject({
      salesOrder: { id: order.id },
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    });
  });

  test('one that is throttled was not carried out: it can be sent again', async ({ layer, sandbox }) => {
    const order = await create(sandbox, 'salesOrders');
    await sandbox.fault({ path, status: 429, headers: { 'retry-after': '0' }, body: {} });

    const { errors } = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));
    const again = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

    expect(errors.map(({ extensions }: Json) => extensions.code)).toEqual(['UPSTREAM_THROTTLED']);
    expect(again).toMatchObject({ salesOrder: null, userErrors: [] });
  });
});

describe('a quote', () => {
  test.for([
    ['makeOrderFromQuote', 'salesOrder', 'salesOrders'],
    ['makeInvoiceFromQuote', 'salesInvoice', 'salesInvoices'],
  ] as const)('is consumed by %s in two calls', async ([mutation, field, set], { layer, sandbox }) => {
    const quote = await create(sandbox, 'salesQuotes');

    const payload = await act(layer, mutation, keyOf(quote));

    expect(payload.errors).toBeUndefined();
    expect(await sandbox.calls()).toHaveLength(2);
    expect(payload).toMatchObject({ salesQuote: null, [field]: { status: 'Draft' }, userErrors: [] });
    expect(Number(payload[field].totalAmountIncludingTax)).toBe(quote.totalAmountIncludingTax);
    const made = (await list(sandbox, set)).find(({ id }) => id === payload[field].id);
    expect(made).toMatchObject({ customerId: quote.customerId, number: payload[field].number });
    expect((await list(sandbox, 'salesQuotes')).map(({ id }) => id)).not.toContain(quote.id);
  });

  test('whose response is lost is OUTCOME_UNKNOWN: the order does not name it', async ({
    layer,
    sandbox,
  }) => {
    const quote = await create(sandbox, 'salesQuotes');
    const before = (await list(sandbox, 'salesOrders')).length;
    await sandbox.fault({ path: 'makeOrder', reset: 'after' });

    const payload = await act(layer, 'makeOrderFromQuote', keyOf(quote));

    expect(payload).toMatchObject({ salesQuote: null, salesOrder: null });
    expect(codesOf(payload)).toEqual(['OUTCOME_UNKNOWN']);
    expect((await list(sandbox, 'salesOrders')).length).toBe(before + 1);
  });

  test('that is sent again is OUTCOME_UNKNOWN if the response is lost: its status is that of before', async ({
    layer,
    sandbox,
  }) => {
    const quote = await create(sandbox, 'salesQuotes');
    const { salesQuote } = await act(layer, 'sendSalesQuote', { id: quote.id, ifMatch: '*' });
    await sandbox.fault({ path: 'Microsoft.NAV.send', reset: 'before' });
    await sandbox.send('PATCH', `${inCompany}/salesQuotes(${quote.id})`, { phoneNumber: '1' });

    const payload = await act(layer, 'sendSalesQuote', keyOf(quote));

    expect(salesQuote.status).toBe('Sent');
    expect(codesOf(payload)).toEqual(['OUTCOME_UNKNOWN']);
  });
});

const openInvoice = async (sandbox: TestSandbox): Promise<Json> =>
  (await list(sandbox, 'salesInvoices', "?$filter=status eq 'Open'&$top=1"))[0] as Json;

test.for([
  ['postSalesInvoice', draftInvoice, 'Open', []],
  // Its status shows that it was posted, and not that it was sent.
  ['postAndSendSalesInvoice', draftInvoice, 'Open', ['OUTCOME_UNKNOWN']],
  ['cancelSalesInvoice', openInvoice, 'Canceled', []],
  ['cancelAndSendSalesInvoice', openInvoice, 'Canceled', ['OUTCOME_UNKNOWN']],
] as const)(
  '%s changes the status of an invoice; if the response is lost, the status decides',
  async ([mutation, prepare, status, codesIfLost], { layer, sandbox }) => {
    for (const [isLost, codes] of [
      [false, []],
      [true, codesIfLost],
    ] as const) {
      const invoice = await prepare(sandbox);
      if (isLost) await sandbox.fault({ path: 'Microsoft.NAV.', reset: 'after' });

      const payload = await act(layer, mutation, keyOf(invoice));

      expect(payload.errors).toBeUndefined();
      expect(payload.salesInvoice).toMatchObject({ id: invoice.id, status });
      expect(codesOf(payload)).toEqual(codes);
    }
  },
);

describe('behind an intermediary that delivers an action twice', () => {
  const deliverTwice = (sandbox: TestSandbox) => sandbox.fault({ path: 'shipAndInvoice', repeat: true });

  test.for([
    ['the whole order', {}],
    ['a part of it', { shipQuantity: 1, invoiceQuantity: 1 }],
  ] as const)(
    '%s is posted once, and OUTCOME_UNKNOWN with the invoice',
    async ([, line], { sandbox, layer }) => {
      const order = await create(sandbox, 'salesOrders', line);
      await deliverTwice(sandbox);

      const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

      expect(payload).toMatchObject({
        salesInvoice: { status: 'Open' },
        userErrors: [
          { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('may have been carried out') },
        ],
      });
      expect(await invoicesOf(sandbox, order)).toHaveLength(1);
    },
  );

  test('it is OUTCOME_UNKNOWN where its invoices cannot be read', async ({ sandbox, layer }) => {
    const order = await create(sandbox, 'salesOrders', { shipQuantity: 1, invoiceQuantity: 1 });
    await deliverTwice(sandbox);
    await sandbox.fault({ path: '/salesInvoices?', part: true, status: 403, times: 9 });

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

    expect(codesOf(payload)).toEqual(['OUTCOME_UNKNOWN']);
  });

  test('`*` is sent as the version that was read, so that a part is posted once', async ({
    sandbox,
    layer,
  }) => {
    const order = await create(sandbox, 'salesOrders', { shipQuantity: 1, invoiceQuantity: 1 });
    await deliverTwice(sandbox);

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', { id: order.id, ifMatch: '*' });

    expect(codesOf(payload)).toEqual(['OUTCOME_UNKNOWN']);
    expect(await invoicesOf(sandbox, order)).toHaveLength(1);
    const actions = (await sandbox.calls()).filter(({ path }) => path.endsWith('shipAndInvoice'));
    expect(new Set(actions.map(({ headers }) => headers['if-match']))).toEqual(
      new Set([order['@odata.etag']]),
    );
  });

  test('an order that was posted before is NOT_FOUND', async ({ sandbox, layer }) => {
    const [invoice] = await list(sandbox, 'salesInvoices', "?$filter=status eq 'Paid'&$top=1");

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', {
      id: invoice?.orderId,
      ifMatch: '*',
    });

    expect(codesOf(payload)).toEqual(['NOT_FOUND']);
  });
});

describe('what the records show of an action', () => {
  const rejected = { code: 'Application_DialogException', message: 'An extension failed.' };

  test('counts for a refusal that came after the posting', async ({ layer, sandbox }) => {
    const draft = await draftInvoice(sandbox);
    await sandbox.fault({ path: 'Microsoft.NAV.post', after: true, status: 400, body: { error: rejected } });

    const payload = await act(layer, 'postSalesInvoice', keyOf(draft));

    expect(codesOf(payload)).toEqual(['OUTCOME_UNKNOWN']);
    expect(payload.salesInvoice).toMatchObject({ status: 'Open' });
    expect((await methods(sandbox)).filter((one) => one === 'POST post')).toHaveLength(1);
  });

  test('is compared with the version that was read first where `ifMatch` is `*`: one call more', async ({
    layer,
    sandbox,
  }) => {
    const order = await create(sandbox, 'salesOrders');
    await sandbox.fault({ method: 'POST', path: 'shipAndInvoice', status: 400, body: { error: rejected } });

    const refused = await act(layer, 'shipAndInvoiceSalesOrder', { id: order.id, ifMatch: '*' });
    const calls = await methods(sandbox);
    const done = await act(layer, 'shipAndInvoiceSalesOrder', { id: order.id, ifMatch: '*' });

    expect(codesOf(refused)).toEqual(['REFUSED']);
    expect(calls).toEqual(['POST $batch', 'POST shipAndInvoice', 'POST $batch']);
    expect(codesOf(done)).toEqual([]);
  });

  test('is no proof if it is older than the action, by the clock of the upstream', async () => {
    for (const [age, codes] of [
      [240_000, ['OUTCOME_UNKNOWN']],
      [0, []],
    ] as const) {
      for (const clock of [0, 3_600_000, -3_600_000]) {
        const order = { '@odata.etag': 'W/"1"', id: absent, number: 'S1' };
        const respond = ({ target, body }: StubRequest) => {
          if (target.includes('shipAndInvoice')) return { isCut: true };
          const headers = { date: new Date(Date.now() + clock).toUTCString() };
          const lastModifiedDateTime = new Date(Date.now() + clock - age).toISOString();
          const invoice = { id: absent, number: 'PS1', orderId: absent, lastModifiedDateTime };
          const parts: Json[] = JSON.parse(body).requests;
          const responses = parts.map(({ id, url }) => ({
            id,
            status: 200,
            headers: {},
            body: { value: url.includes('salesInvoices') ? [invoice] : [] },
          }));
          return { headers, body: { responses } };
        };
        const { layer } = await startBeforeStub(respond, settings);

        const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

        expect(codesOf(payload), `${age} ${clock}`).toEqual(codes);
      }
    }
  });

  /** An upstream that answers an action as given, and each list with the row of its entity set. */
  const stubFor = async (action: string, answer: StubAnswer, rows: Readonly<Record<string, Json | null>>) => {
    const listOf = (target: string) => {
      const [, set = ''] = /\/(\w+)\?/.exec(target) ?? [];
      return { value: rows[set] ? [rows[set]] : [] };
    };
    const respond = ({ method, target, body }: StubRequest) => {
      if (target.includes(`Microsoft.NAV.${action}`)) return answer;
      if (method === 'GET') return { body: listOf(target) };
      const parts: Json[] = JSON.parse(body).requests;
      return {
        body: {
          responses: parts.map(({ id, url }) => ({ id, status: 200, headers: {}, body: listOf(url) })),
        },
      };
    };
    return (await startBeforeStub(respond, settings)).layer;
  };
  const now = () => new Date().toISOString();

  test.for([
    ['Open', []],
    ['Draft', ['OUTCOME_UNKNOWN']],
    [undefined, ['OUTCOME_UNKNOWN']],
  ] as const)('a lost posting of an invoice is shown by its status: %s is %j', async ([status, codes]) => {
    const row = { '@odata.etag': 'W/"2"', id: absent, status, lastModifiedDateTime: now() };
    const layer = await stubFor('post', { isCut: true }, { salesInvoices: row });

    const payload = await act(layer, 'postSalesInvoice', { id: absent, ifMatch: 'W/"1"' });

    expect(codesOf(payload)).toEqual(codes);
  });

  const other = '00c0ffee-0000-4000-8000-000000000002';
  test.for([
    ['the invoice of another order', null, { isCut: true }, other],
    ['an order without an ETag', { '@odata.etag': undefined }, { status: 204 }, absent],
    ['an order with another ETag and no invoice', { '@odata.etag': 'W/"2"' }, { status: 204 }, null],
  ] as const)('%s proves nothing', async ([, shown, answer, orderId]) => {
    const lastModifiedDateTime = now();
    const layer = await stubFor('shipAndInvoice', answer, {
      salesOrders: shown && { id: absent, number: 'S1', lastModifiedDateTime, ...shown },
      salesInvoices: orderId && { '@odata.etag': 'W/"1"', id: absent, orderId, lastModifiedDateTime },
    });

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', { id: absent, ifMatch: 'W/"1"' });

    expect(codesOf(payload)).toEqual(['OUTCOME_UNKNOWN']);
  });

  test('is an error where it cannot be read, and never a null that would mean it is gone', async ({
    layer,
    sandbox,
  }) => {
    const order = await create(sandbox, 'salesOrders', { shipQuantity: 1, invoiceQuantity: 1 });
    await sandbox.fault({ path: '/salesOrders?', part: true, status: 500, times: 9 });

    const payload = await act(layer, 'shipAndInvoiceSalesOrder', keyOf(order));

    expect(payload.salesOrder).toBeNull();
    expect(codesOf(payload)).toEqual([]);
    expect(payload.errors).toMatchObject([
      { path: ['shipAndInvoiceSalesOrder', 'salesOrder'], extensions: { code: 'UPSTREAM_UNAVAILABLE' } },
    ]);
    expect(payload.salesInvoice).not.toBeNull();
  });

  test('contradicts a refusal whose record is gone', async ({ layer, sandbox }) => {
    const quote = await create(sandbox, 'salesQuotes');
    await sandbox.fault({
      method: 'POST',
      path: 'makeOrder',
      after: true,
      status: 400,
      body: { error: rejected },
    });

    const payload = await act(layer, 'makeOrderFromQuote', keyOf(quote));

    expect(payload.salesQuote).toBeNull();
    expect(codesOf(payload)).toEqual(['OUTCOME_UNKNOWN']);
  });
});
