import { expect } from 'vitest';
import {
  codesOf,
  entriesFor,
  many,
  shapesOf,
  storedIn,
  type Values,
} from '../../support/cases/every-input.ts';
import { startTestLayer, testWith } from '../../support/layer.ts';
import type { TestSandbox } from '../../support/sandbox.ts';

/** A layer of its own for each test: whether an entity set keeps client-supplied ids is remembered until the process ends. */
const test = testWith({}, {}).extend('unproven', async ({ sandbox }, { onCleanup }) => {
  const layer = await startTestLayer(sandbox.url, {});
  onCleanup(() => layer.stop());
  return layer;
});

const deletes = 'deleteEmployee';
const creates = 'createEmployee';

const employeesIn = async (sandbox: TestSandbox) =>
  (await storedIn(sandbox, 'employees')).map(({ id }) => id);
const townsMade = async (sandbox: TestSandbox) =>
  (await storedIn(sandbox, 'employees'))
    .map(({ values }) => String(values.city))
    .filter((city) => city.startsWith('ENTRY'));

const places = (count: number) => Array.from({ length: count }, (_, index) => `ENTRY ${index}`);
const gone = ({ id }: Values) => ({ deletedId: id, record: null, userErrors: [] });
const ifMatchOf = ({ ifMatch }: Values) => ifMatch;

/** How a batch is lost, and whether it was carried out. */
const losses = [
  ['reset before it is carried out', { reset: 'before' }, false],
  ['answered 504 in place of being carried out', { status: 504 }, false],
  ['reset after it is carried out', { reset: 'after' }, true],
  ['carried out and answered 504', { status: 504, after: true }, true],
  ['carried out and answered without parts', { status: 200, after: true, body: {} }, true],
] as const;

test.for(losses)(
  'a batch of deletes that is %s is settled by reading the records, and each is deleted once',
  async ([_how, fault, isCarriedOut], { layer, sandbox }) => {
    const entries = await entriesFor(sandbox, deletes, 6);
    await sandbox.fault({ path: '$batch', ...fault });

    const { results, errors } = await many(layer, deletes, entries);

    expect(errors).toBeUndefined();
    expect(results).toEqual(entries.map(gone));
    const left = await employeesIn(sandbox);
    expect(entries.filter(({ id }) => left.includes(String(id)))).toEqual([]);
    const [batch, reads, ...others] = await sandbox.calls();
    expect(batch?.path).toBe('/api/v2.0/$batch');
    expect(reads?.parts?.map(({ method, status }) => [method, status])).toEqual(
      entries.map(() => ['GET', isCarriedOut ? 404 : 200]),
    );
    if (isCarriedOut) expect(others.map(({ parts }) => parts?.length)).toEqual([6]);
    else
      expect(others.map(({ method, headers }) => `${method} ${headers['if-match']}`).sort()).toEqual(
        entries.map((entry) => `DELETE ${ifMatchOf(entry)}`).sort(),
      );
  },
);

test('a lost batch of deletes hides no failure: each entry is reported as its record shows', async ({
  layer,
  sandbox,
}) => {
  const absent = '00c0ffee-0000-4000-8000-000000000001';
  const [first, second, third] = (await entriesFor(sandbox, deletes, 3)) as [Values, Values, Values];
  const entries = [first, { ...second, ifMatch: 'W/"old"' }, { id: absent, ifMatch: '*' }, third];
  await sandbox.fault({ path: '$batch', reset: 'before' });

  const { results } = await many(layer, deletes, entries);

  // Nobody can tell who deleted the third: it is gone, as the entry asks for.
  expect(codesOf(results)).toEqual(['', 'STALE_RECORD', '', '']);
  expect(results[1]).toMatchObject({
    deletedId: null,
    record: { id: second.id, etag: second.ifMatch },
    userErrors: [{ path: ['input', 'entries', '1', deletes, 'ifMatch'] }],
  });
  expect(await employeesIn(sandbox)).toContain(second.id);
});

test('a delete that the response omits is settled alone, sent again only if the record is still there', async ({
  layer,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, deletes, 6);
  await sandbox.fault({ part: true, path: String(entries[1]?.id), missing: true });
  await sandbox.fault({ part: true, path: String(entries[4]?.id), missing: 'before' });

  const { results } = await many(layer, deletes, entries);

  expect(results).toEqual(entries.map(gone));
  const shapes = await shapesOf(sandbox);
  expect(shapes.slice(0, 3)).toEqual(['6 DELETE', 'GET', 'GET']);
  // Proof that the second is absent, and the fifth once more.
  expect(shapes.slice(3).sort()).toEqual(['DELETE', 'GET']);
});

test('deletes that stay lost are OUTCOME_UNKNOWN with their records and no deletedId', async ({
  layer,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, deletes, 2);
  await sandbox.fault({ path: '$batch', reset: 'before' });
  await sandbox.fault({ method: 'DELETE', reset: 'before', times: 2 });

  const { results } = await many(layer, deletes, entries);

  expect(results).toMatchObject(
    entries.map(({ id }) => ({
      deletedId: null,
      record: { id },
      userErrors: [{ code: 'OUTCOME_UNKNOWN' }],
    })),
  );
});

test.for(
  losses.flatMap(([how, ...rest]) => [true, false].map((isProven) => [how, isProven, ...rest] as const)),
)(
  'a batch of creates that is %s, where ids are proven to be kept (%s), creates no record twice',
  async ([_how, isProven, fault, isCarriedOut], { unproven, sandbox }) => {
    if (isProven) expect((await many(unproven, creates, [{}])).errors).toBeUndefined();
    const entries = await entriesFor(sandbox, creates, 3);
    await sandbox.fault({ path: '$batch', ...fault });

    const { results } = await many(unproven, creates, entries);

    const isMade = isCarriedOut || isProven;
    expect(codesOf(results)).toEqual(entries.map(() => (isMade ? '' : 'OUTCOME_UNKNOWN')));
    expect((await townsMade(sandbox)).sort()).toEqual(isMade ? places(3) : []);
    expect((await sandbox.calls()).map(({ method }) => method)).toEqual([
      ...['POST', 'GET', 'GET', 'GET'],
      ...(isProven && !isCarriedOut ? ['POST', 'POST', 'POST'] : []),
    ]);
  },
);

test.for(losses)(
  'of a batch that is %s, entries about one record are OUTCOME_UNKNOWN, and none is sent again',
  async ([_how, fault], { layer, sandbox }) => {
    const id = '00c0ffee-0000-4000-8000-000000000002';
    const prove = 'mutation { createItem(input: { displayName: "proof" }) { item { id } } }';
    await layer.query(prove);
    await layer.query(`mutation { createItem(input: { id: "${id}", displayName: "old" }) { item { id } } }`);
    await sandbox.forgetCalls();
    await sandbox.fault({ path: '$batch', ...fault });

    const { data, errors } = await layer.query(`mutation { batch(input: { entries: [
      { deleteItem: { id: "${id}", ifMatch: "*" } }, { createItem: { id: "${id}", displayName: "new" } }
    ] }) { results { deletedId record { nodeId } userErrors { code } } } }`);

    expect(errors).toBeUndefined();
    const unknown = { deletedId: null, record: null, userErrors: [{ code: 'OUTCOME_UNKNOWN' }] };
    expect(data.batch.results).toEqual([unknown, unknown]);
    expect((await sandbox.calls()).map(({ method }) => method)).toEqual(['POST']);
  },
);
