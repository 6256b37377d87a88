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
const customer = { number: 'C10000' };

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
    [{ item: { id: itemId } }, _dialect === 'document' ? { lineType: 'Item', itemNo: '1000' } : { itemId }],
    [{ item: { number: '1004' } }, { lineType: 'Item', [numberName]: '1004' }],
    [
      { account: { id: accountId } },
      _dialect === 'document' ? { lineType: 'Account', itemNo: '4090' } : { accountId },
    ],
    [{ account: { number: '4090' } }, { lineType: 'Account', [numberName]: '4090' }],
    [{ resource: 'R-1' }, { lineType: 'Resource', [numberName]: 'R-1' }],
    [{ fixedAsset: 'F-1' }, { lineType: 'Fixed Asset', [numberName]: 'F-1' }],
    [{ charge: 'H-1' }, { lineType: 'Charge', [numberName]: 'H-1' }],
    [{ allocationAccount: 'A-1' }, { lineType: 'Allocation Account', [numberName]: 'A-1' }],
    [{ comment: 'Ring twice' }, { lineType: 'Comment', description: 'Ring twice' }],
    [
      { other: { lineTypeRaw: 'Service Plan', number: 'P-1' } },
      { lineType: 'Service Plan', [numberName]: 'P-1' },
    ],
    [{ other: { lineTypeRaw: 'Title' } }, { lineType: 'Title' }],
  ] as const)(
    'the subject %j is sent as the columns of a line',
    async ([subject, sent], { layer, sandbox }) => {
      await create(layer, { customer, documentLines: [{ subject, quantity: 2 }] });

      const { customerNumber, [linesName]: lines } = await bodyOf(sandbox);
      const encoded = (word: unknown) =>
        typeof word === 'string' && _dialect === 'dynamics' ? word.replace(' ', '_x0020_') : word;
      expect(customerNumber).toBe('C10000');
      expect(lines).toEqual([
        { ...sent, ...('lineType' in sent && { lineType: encoded(sent.lineType) }), quantity: 2 },
      ]);
    },
  );

  test('of several orders, one whose line names an item by an id that none has does not keep the others', async ({
    layer,
    sandbox,
  }) => {
    const nobody = '00c0ffee-0000-4000-8000-000000000009';
    const entries = [itemId, nobody].map((id) => ({
      createSalesOrder: { customer, documentLines: [{ subject: { item: { id } } }] },
    }));

    const { data, errors } = await layer.query(
      `mutation ($entries: [BatchEntryInput!]!) { batch(input: { entries: $entries }) {
        results { record { nodeId } userErrors { code path } }
      } }`,
      { entries },
    );

    expect(errors).toBeUndefined();
    const path = ['input', 'entries', '1', 'createSalesOrder', 'documentLines', '0', 'subject', 'item', 'id'];
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

    const { data, errors } = await create(layer, {
      customer,
      documentLines: [{ subject: { item: { id: itemId } } }],
    });

    if (_dialect === 'document') {
      expect(errors).toMatchObject([{ extensions: { code: 'FORBIDDEN' } }]);
      expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['GET']);
    } else expect(data.createSalesOrder.userErrors).toEqual([]);
  });

  test.for([
    ['no customer', {}],
    ['an empty customer', { customer: {} }],
    ['a customer named twice', { customer: { id: customerId, number: 'C10000' } }],
    ['a customer named by null', { customer: { number: null } }],
    ['a line of nothing', { customer, documentLines: [{ quantity: 1 }] }],
    ['a line of an empty subject', { customer, documentLines: [{ subject: {} }] }],
    [
      'a line of an item and an account',
      { customer, documentLines: [{ subject: { item: { id: itemId }, account: { id: accountId } } }] },
    ],
  ] as const)('%s is BAD_USER_INPUT, and nothing is sent', async ([, input], { layer, sandbox }) => {
    const { errors } = await create(layer, input);

    expect(errors?.length).toBeGreaterThan(0);
    for (const { extensions } of errors ?? []) expect(extensions.code).toBe('BAD_USER_INPUT');
    expect(await sandbox.calls()).toEqual([]);
  });

  test.for([
    [
      'no name',
      {},
      'at "input.customer"; Exactly one key must be specified for OneOf type "NumberReferenceInput"',
    ],
    [
      'two names',
      { id: customerId, number: 'C10000' },
      'at "input.customer"; Exactly one key must be specified for OneOf type "NumberReferenceInput"',
    ],
    ['null', { number: null }, 'at "input.customer.number"; Field "number" must be non-null'],
  ] as const)(
    'the error of a reference with %s names the reference, and says what is expected',
    async ([, reference, message], { layer, sandbox }) => {
      const [error] = (await create(layer, { customer: reference })).errors ?? [];

      expect(error?.message).toContain(message);
      expect(await sandbox.calls()).toEqual([]);
    },
  );

  test('a reference takes a variable, but not its null', async ({ layer, sandbox }) => {
    const { data } = await layer.query(
      '{ company { customers(first: 2, filter: { blocked: { eq: null } }) { nodes { number } } } }',
    );
    const numbers: readonly string[] = data.company.customers.nodes.map(({ number }: Values) => number);
    const order = (type: string, number: unknown) =>
      layer.query(
        `mutation ($number: ${type}) { createSalesOrder(input: { customer: { number: $number } }) {
          salesOrder { customerNumber } userErrors { code }
        } }`,
        { number },
      );

    expect(numbers).toHaveLength(2);
    for (const number of numbers)
      expect((await order('String!', number)).data.createSalesOrder).toEqual({
        salesOrder: { customerNumber: number },
        userErrors: [],
      });
    await sandbox.forgetCalls();
    // graphql-js accepts a variable that can be null where the reference itself is required, and refuses its null.
    for (const number of [null, undefined])
      expect((await order('String', number)).errors).toMatchObject([
        { message: expect.stringContaining('number: $number'), extensions: { code: 'BAD_USER_INPUT' } },
      ]);
    expect(await sandbox.calls()).toEqual([]);
  });

  test('a reference that can be left out takes no variable that can be null', async ({ layer, sandbox }) => {
    const { errors } = await layer.query(
      `mutation ($code: String) { updateCustomer(input: { id: "${customerId}", ifMatch: "*", patch: { currency: { code: $code } } }) {
        userErrors { code }
      } }`,
      { code: 'EUR' },
    );

    expect(errors).toMatchObject([
      {
        message: expect.stringContaining('must be non-nullable to be used for OneOf Input Object'),
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ]);
    expect(await sandbox.calls()).toEqual([]);
  });

  test('a comment with two texts is INVALID_INPUT of its line, and nothing is sent', async ({
    layer,
    sandbox,
  }) => {
    const comment = { subject: { comment: 'Ring twice' } };
    const { data, errors } = await create(layer, {
      customer,
      documentLines: [comment, { ...comment, description: 'Or thrice' }],
    });

    expect(errors).toBeUndefined();
    expect(data.createSalesOrder.userErrors).toMatchObject([
      { code: 'INVALID_INPUT', path: ['input', 'documentLines', '1', 'description'] },
    ]);
    expect(await sandbox.calls()).toEqual([]);
  });

  test('of several orders, one with such a line or too long a word does not keep the others', async ({
    layer,
  }) => {
    const line = { subject: { comment: 'Ring twice' } };
    const long = { subject: { other: { lineTypeRaw: 'x'.repeat(251) } } };
    const entries = [line, { ...line, description: 'Or thrice' }, long].map((one) => ({
      createSalesOrder: { customer, documentLines: [one] },
    }));
    const { data, errors } = await layer.query(
      `mutation ($entries: [BatchEntryInput!]!) { batch(input: { entries: $entries }) {
        results { record { nodeId } userErrors { code path } }
      } }`,
      { entries },
    );

    expect(errors).toBeUndefined();
    expect(data.batch.results).toMatchObject([
      { record: { nodeId: expect.any(String) }, userErrors: [] },
      {
        userErrors: [
          {
            code: 'INVALID_INPUT',
            path: ['input', 'entries', '1', 'createSalesOrder', 'documentLines', '0', 'description'],
          },
        ],
      },
      {
        userErrors: [
          {
            code: 'INVALID_INPUT',
            path: ['input', 'entries', '2', 'createSalesOrder', 'documentLines', '0', 'lineType'],
          },
        ],
      },
    ]);
  });

  test('two references to one record in the document are refused, and nothing is sent', async ({
    layer,
    sandbox,
  }) => {
    const { errors } = await layer.query(
      'mutation { updateCustomer(input: { id: "x", ifMatch: "*", patch: { currency: { code: "EUR", id: null } } }) { userErrors { code } } }',
    );

    expect(errors?.[0]?.extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(await sandbox.calls()).toEqual([]);
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
