import { describe, expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { derivedGuid } from '../../../sandbox/seeded.ts';
import type { Values } from '../../support/cases/every-input.ts';
import { type TestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

const dialects = [
  [
    'document',
    testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' }),
    'documentLines',
    'itemNo',
  ],
  [
    'dynamics',
    testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' }),
    'salesOrderLines',
    'lineObjectNumber',
  ],
] as const;

const { customerId, itemId } = sandboxExamples;
const accountId = derivedGuid(`${sandboxCompanyId}:accounts:4090`);
const customer = { customerNumber: 'C10000' };

const create = (layer: TestLayer, input: Values) =>
  layer.query(
    `mutation ($input: CreateSalesOrderInput!) { createSalesOrder(input: $input) {
      salesOrder { customerId documentLines { lineType description } } userErrors { code message path }
    } }`,
    { input },
  );

const bodyOf = async (sandbox: TestSandbox): Promise<Values & Record<string, readonly Values[]>> =>
  JSON.parse((await sandbox.calls()).find(({ method }) => method === 'POST')?.body ?? 'null');

describe.each(dialects)('in the dialect %s', (_dialect, test, linesName, numberName) => {
  test.for([
    [{ itemId }, _dialect === 'document' ? { lineType: 'Item', itemNo: '1000' } : { itemId }],
    [
      { lineType: 'Item', itemNo: '1004' },
      { lineType: 'Item', [numberName]: '1004' },
    ],
    [{ accountId }, _dialect === 'document' ? { lineType: 'Account', itemNo: '4090' } : { accountId }],
    [
      { lineType: 'Account', itemNo: '4090' },
      { lineType: 'Account', [numberName]: '4090' },
    ],
    [
      { lineType: 'Fixed Asset', itemNo: 'F-1' },
      { lineType: 'Fixed Asset', [numberName]: 'F-1' },
    ],
    [
      { lineType: 'Service Plan', itemNo: 'P-1' },
      { lineType: 'Service Plan', [numberName]: 'P-1' },
    ],
    [
      { lineType: 'Comment', description: 'Ring twice' },
      { lineType: 'Comment', description: 'Ring twice' },
    ],
  ] as const)('the line %j is sent with its columns', async ([line, sent], { layer, sandbox }) => {
    await create(layer, { ...customer, documentLines: [{ ...line, quantity: 2 }] });

    const { customerNumber, [linesName]: lines } = await bodyOf(sandbox);
    const encoded = (word: unknown) =>
      typeof word === 'string' && _dialect === 'dynamics' ? word.replace(' ', '_x0020_') : word;
    expect(customerNumber).toBe('C10000');
    expect(lines).toEqual([
      { ...sent, ...('lineType' in sent && { lineType: encoded(sent.lineType) }), quantity: 2 },
    ]);
  });

  test('of several orders, one whose line names an item by an id that none has does not keep the others', async ({
    layer,
    sandbox,
  }) => {
    const nobody = '00c0ffee-0000-4000-8000-000000000009';
    const entries = [itemId, nobody].map((id) => ({
      createSalesOrder: { ...customer, documentLines: [{ itemId: id }] },
    }));

    const { data, errors } = await layer.query(
      `mutation ($entries: [BatchEntryInput!]!) { batch(input: { entries: $entries }) {
        results { record { nodeId } userErrors { code path } }
      } }`,
      { entries },
    );

    expect(errors).toBeUndefined();
    const path = ['input', 'entries', '1', 'createSalesOrder', 'documentLines', '0', 'itemId'];
    expect(data.batch.results).toMatchObject([
      { record: { nodeId: expect.any(String) }, userErrors: [] },
      {
        record: null,
        userErrors: [
          _dialect === 'document' ? { code: 'INVALID_INPUT', path } : { code: 'REFUSED', path: null },
        ],
      },
    ]);
    const methods = (await sandbox.calls()).map(({ method }) => method);
    expect(methods).toEqual(_dialect === 'document' ? ['GET', 'POST'] : ['POST']);
  });

  test('an order whose item cannot be looked up is an error, and nothing is written', async ({
    layer,
    sandbox,
  }) => {
    await sandbox.fault({ method: 'GET', status: 403 });

    const { data, errors } = await create(layer, { ...customer, documentLines: [{ itemId }] });

    if (_dialect === 'document') {
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['GET']);
    } else expect(data.createSalesOrder.userErrors).toEqual([]);
  });

  test.for([
    ['no customer', {}, 'Give `customerId` or `customerNumber`.', []],
    ['a customer named by null', { customerId: null }, 'Give `customerId` or `customerNumber`.', []],
    [
      'a customer named by null and by nothing',
      { customerId: null, customerNumber: '' },
      'Give `customerId` or `customerNumber`.',
      [],
    ],
    [
      'a customer named twice',
      { customerId, customerNumber: 'C10000' },
      'Give `customerId` or `customerNumber`, not both.',
      ['customerNumber'],
    ],
    [
      'a currency named twice, to clear it',
      { ...customer, currencyId: null, currencyCode: null },
      'Give `currencyId` or `currencyCode`, not both.',
      ['currencyCode'],
    ],
    [
      'a line whose item is named twice',
      { ...customer, documentLines: [{ lineType: 'Item', itemId, itemNo: '1000' }] },
      'Give `itemId` or `itemNo`, not both.',
      ['documentLines', '0', 'itemNo'],
    ],
  ] as const)(
    '%s is INVALID_INPUT, and nothing is sent',
    async ([, input, message, path], { layer, sandbox }) => {
      const { data, errors } = await create(layer, input);

      expect(errors).toBeUndefined();
      expect(data.createSalesOrder.userErrors).toEqual([
        { code: 'INVALID_INPUT', message, path: ['input', ...path] },
      ]);
      expect(await sandbox.calls()).toEqual([]);
    },
  );

  test('of several orders, one with two names of a record or too long a word does not keep the others', async ({
    layer,
  }) => {
    const line = { lineType: 'Comment', description: 'Ring twice' };
    const entries = [
      { ...customer, documentLines: [line] },
      { ...customer, customerId },
      { ...customer, documentLines: [{ ...line, lineType: 'x'.repeat(251) }] },
    ].map((createSalesOrder) => ({ createSalesOrder }));
    const { data, errors } = await layer.query(
      `mutation ($entries: [BatchEntryInput!]!) { batch(input: { entries: $entries }) {
        results { record { nodeId } userErrors { code path } }
      } }`,
      { entries },
    );

    expect(errors).toBeUndefined();
    const invalid = (...path: string[]) => ({
      userErrors: [
        { code: 'INVALID_INPUT', path: ['input', 'entries', path[0], 'createSalesOrder', ...path.slice(1)] },
      ],
    });
    expect(data.batch.results).toMatchObject([
      { record: { nodeId: expect.any(String) }, userErrors: [] },
      invalid('1', 'customerNumber'),
      invalid('2', 'documentLines', '0', 'lineType'),
    ]);
  });

  test('a word that is not documented can be written, found and read back', async ({ layer, sandbox }) => {
    const word = 'Public Body';
    const made = await layer.query(
      `mutation ($word: String) { createCustomer(input: { displayName: "Brindle", type: $word }) {
        customer { id etag type } userErrors { code message }
      } }`,
      { word },
    );
    const { id, etag, ...shown } = made.data.createCustomer.customer;
    const found = await layer.query(
      `query ($word: String, $words: [String!]) { company {
        eq: customers(filter: { type: { eq: $word } }) { nodes { id } }
        in: customers(filter: { type: { in: $words } }) { nodes { id } }
        not: customers(filter: { not: { type: { ne: $word } } }) { nodes { id } }
        both: customers(filter: { type: { eq: $word, ne: $word } }) { nodes { id } }
      } }`,
      { word, words: [word] },
    );
    const changed = await layer.query(
      `mutation ($id: UUID!, $etag: String!) { updateCustomer(input: { id: $id, ifMatch: $etag, patch: { type: "Person" } }) {
        customer { type } userErrors { code }
      } }`,
      { id, etag },
    );

    expect(made.data.createCustomer.userErrors).toEqual([]);
    expect(shown).toEqual({ type: word });
    expect(found.errors).toBeUndefined();
    expect(found.data.company).toEqual({
      eq: { nodes: [{ id }] },
      in: { nodes: [{ id }] },
      not: { nodes: [{ id }] },
      both: { nodes: [] },
    });
    expect(changed.data.updateCustomer.customer).toEqual({ type: 'Person' });
    expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'PATCH']);
  });

  test.for([
    ['Public Body', "type eq 'Public Body'", "type eq 'Public_x0020_Body'"],
    [
      "Person' or type ne '",
      "type eq 'Person'' or type ne '''",
      "type eq 'Person_x0027__x0020_or_x0020_type_x0020_ne_x0020__x0027_'",
    ],
    ['Body_x0020_', "type eq 'Body_x0020_'", "type eq 'Body_x005F_x0020_'"],
  ] as const)(
    'the word %j is a literal of the filter that is sent',
    async ([word, plain, encoded], { layer, sandbox }) => {
      await layer.query(
        'query ($word: String) { company { customers(filter: { type: { eq: $word } }) { nodes { id } } } }',
        { word },
      );

      const calls = await sandbox.calls();
      expect(calls.map(({ path }) => new URL(path, 'http://sandbox').searchParams.get('$filter'))).toEqual([
        _dialect === 'dynamics' ? encoded : plain,
      ]);
    },
  );

  test('a word of more than 250 characters is refused, and nothing is sent', async ({ layer, sandbox }) => {
    const [longest, word] = ['x'.repeat(250), 'x'.repeat(251)];
    const write = (type: string) =>
      layer.query(
        `mutation ($type: String) { createCustomer(input: { displayName: "Brindle", type: $type }) {
          userErrors { code path message }
        } }`,
        { type },
      );
    const find = (operator: string, operand: unknown) =>
      layer.query(
        'query ($filter: CustomerFilter) { company { customers(filter: $filter) { nodes { id } } } }',
        { filter: { type: { [operator]: operand } } },
      );

    expect((await write(word)).data.createCustomer.userErrors).toEqual([
      {
        code: 'INVALID_INPUT',
        path: ['input', 'type'],
        message: '`type` has more than 250 characters.',
      },
    ]);
    for (const [operator, operand] of [
      ['eq', word],
      ['ne', word],
      ['in', [longest, word]],
    ] as const)
      expect((await find(operator, operand)).errors).toMatchObject([
        {
          message: `\`filter.type.${operator}\` has more than 250 characters.`,
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
    expect(await sandbox.calls()).toEqual([]);

    await write(longest);
    await find('eq', longest);
    const calls = await sandbox.calls();
    const posts = calls.filter(({ method }) => method === 'POST');
    expect(new Set(posts.map(({ body }) => JSON.parse(body).type))).toEqual(new Set([longest]));
    expect(calls.filter(({ method }) => method === 'GET')).toHaveLength(1);
  });

  test('a lost update of a word is settled by the word that the record has', async ({ layer, sandbox }) => {
    const { data } = await layer.query(
      'mutation { createCustomer(input: { displayName: "Brindle" }) { customer { id etag } } }',
    );
    await sandbox.fault({ method: 'PATCH', reset: 'after' });

    const changed = await layer.query(
      `mutation ($id: UUID!, $etag: String!) { updateCustomer(input: { id: $id, ifMatch: $etag, patch: { type: "Public Body" } }) {
        customer { type } userErrors { code }
      } }`,
      data.createCustomer.customer,
    );

    expect(changed.data.updateCustomer).toEqual({ customer: { type: 'Public Body' }, userErrors: [] });
  });
});
