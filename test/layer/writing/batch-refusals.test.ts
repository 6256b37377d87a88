import { describe, expect } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import {
  codesOf,
  entriesFor,
  type ManyName,
  many,
  manyMutations,
  recordsIn,
  shapesOf,
  storedIn,
  type Values,
  verbOf,
} from '../../support/cases/every-input.ts';
import { testWith } from '../../support/layer.ts';

const dialects = [
  ['document', testWith({ dialect: 'document' }, { BUSINESS_DIALECT: 'document' })],
  ['dynamics', testWith({ dialect: 'dynamics' }, { BUSINESS_DIALECT: 'dynamics' })],
] as const;
const [[, test]] = dialects;

const manyNames = Object.keys(manyMutations) as ManyName[];
const keyed = manyNames.filter((name) => verbOf(name) !== 'create');
const absent = '00c0ffee-0000-4000-8000-000000000001';
const stale = 'W/"old"';
const refusal = { status: 400, body: { error: { code: 'BadRequest', message: 'Not this one.' } } };

const methodOf = (name: ManyName) => ({ create: 'POST', update: 'PATCH', delete: 'DELETE' })[verbOf(name)];
const idsIn = async (...[sandbox, set]: Parameters<typeof storedIn>) =>
  (await storedIn(sandbox, set)).map(({ id }) => id);

test.for(manyNames)(
  '%s: an entry that the upstream refuses has its message, and the others are carried out',
  async (name, { layer, sandbox }) => {
    const method = methodOf(name);
    const entries = await entriesFor(sandbox, name, 3);
    // Of creates the second that comes, of others that of the record.
    if (method === 'POST') await sandbox.fault({ part: true, method, headers: {} });
    const path = method === 'POST' ? manyMutations[name][0] : String(entries[1]?.id);
    await sandbox.fault({ part: true, method, path, ...refusal });

    const { results, errors } = await many(layer, name, entries);

    expect(errors).toBeUndefined();
    expect(codesOf(results)).toEqual(['', 'INVALID_INPUT', '']);
    expect(results[1].userErrors[0].upstream.message).toBe('Not this one.');
    const isKeyed = method !== 'POST';
    expect(results[1].record?.id).toBe(isKeyed ? entries[1]?.id : undefined);
    expect(await shapesOf(sandbox)).toEqual([`3 ${method}`, ...(isKeyed ? ['GET'] : [])]);
  },
);

test.for(keyed)(
  '%s: a stale tag is STALE_RECORD with its path and the record, and the others are carried out',
  async (name, { layer, sandbox }) => {
    const entries = await entriesFor(sandbox, name, 4);
    const sent = entries.map((entry, index) => (index === 2 ? { ...entry, ifMatch: stale } : entry));
    const [set] = manyMutations[name];
    const before = (await storedIn(sandbox, set)).find(({ id }) => id === entries[2]?.id);

    const { results } = await many(layer, name, sent);

    expect(codesOf(results)).toEqual(['', '', 'STALE_RECORD', '']);
    expect(results[2]).toMatchObject({
      record: { id: entries[2]?.id, etag: entries[2]?.ifMatch },
      userErrors: [{ path: ['input', 'entries', '2', name, 'ifMatch'] }],
    });
    const after = await storedIn(sandbox, set);
    expect(after.find(({ id }) => id === entries[2]?.id)).toEqual(before);
    if (verbOf(name) === 'delete') {
      expect(results.map(({ deletedId }: Values) => deletedId)).toEqual(
        entries.map(({ id }, index) => (index === 2 ? null : id)),
      );
      expect(after.filter(({ id }) => entries.some((entry) => entry.id === id))).toHaveLength(1);
    }
    expect(await shapesOf(sandbox)).toEqual([`4 ${methodOf(name)}`, 'GET']);
  },
);

test.for(keyed)(
  '%s: an invalid tag is INVALID_INPUT with its path and is not sent',
  async (name, { layer, sandbox }) => {
    const entries = await entriesFor(sandbox, name, 3);

    const { results } = await many(layer, name, [...entries, { ...entries[0], ifMatch: 'no tag' }]);

    expect(codesOf(results)).toEqual(['', '', '', 'INVALID_INPUT']);
    expect(results[3].userErrors[0].path).toEqual(['input', 'entries', '3', name, 'ifMatch']);
    expect(await shapesOf(sandbox)).toEqual([`3 ${methodOf(name)}`]);
  },
);

describe.each(dialects)('in the dialect %s', (_dialect, test) => {
  test('of several customers to delete each has its own result', async ({ layer, sandbox }) => {
    const [first, second, third] = await entriesFor(sandbox, 'deleteCustomer', 3);
    const { customerId } = sandboxExamples;
    const entries = [
      first,
      { id: customerId, ifMatch: '*' },
      { id: absent, ifMatch: '*' },
      { ...second, ifMatch: stale },
      third,
      first,
    ] as Values[];

    const { results, errors } = await many(layer, 'deleteCustomer', entries);

    expect(errors).toBeUndefined();
    expect(results).toMatchObject([
      { deletedId: first?.id, record: null, userErrors: [] },
      {
        deletedId: null,
        record: { id: customerId },
        userErrors: [{ code: 'REFUSED', upstream: { message: expect.stringContaining('Customer C10000') } }],
      },
      { deletedId: null, record: null, userErrors: [{ code: 'NOT_FOUND' }] },
      { deletedId: null, record: { id: second?.id }, userErrors: [{ code: 'STALE_RECORD' }] },
      { deletedId: third?.id, record: null, userErrors: [] },
      { deletedId: null, record: null, userErrors: [{ code: 'NOT_FOUND' }] },
    ]);
    const left = await idsIn(sandbox, 'customers');
    expect([first, second, third].map((entry) => left.includes(String(entry?.id)))).toEqual([
      false,
      true,
      false,
    ]);
    // The records of two, and proof that two are absent.
    expect(await shapesOf(sandbox)).toEqual(['6 DELETE', 'GET', 'GET', 'GET', 'GET']);
  });

  test('orders are created with their lines, and deleted with them by the tags of their creation, in a call each', async ({
    layer,
    sandbox,
  }) => {
    const order = {
      customerNumber: 'C10000',
      documentLines: ['1004', '1000'].map((number) => ({ lineType: 'Item', itemNo: number })),
    };
    const before = await idsIn(sandbox, 'salesOrders');

    const made = await many(layer, 'createSalesOrder', Array(5).fill(order), 'documentLines { itemNo }');
    const added = (await idsIn(sandbox, 'salesOrders')).slice(before.length);
    const gone = await many(
      layer,
      'deleteSalesOrder',
      made.results.map(({ record }: { record: Values }) => ({ id: record.id, ifMatch: record.etag })),
    );

    const documentLines = [{ itemNo: '1004' }, { itemNo: '1000' }];
    expect(made.results).toMatchObject(Array(5).fill({ record: { documentLines }, userErrors: [] }));
    expect(gone.results).toEqual(added.map((id) => ({ deletedId: id, record: null, userErrors: [] })));
    expect((await recordsIn(sandbox, 'salesOrders')).length).toBe(before.length);
    expect(await shapesOf(sandbox)).toEqual(['5 POST', '5 DELETE']);
  });
});
