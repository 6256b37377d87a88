import { setTimeout as sleep } from 'node:timers/promises';
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

/** A layer of its own for each test, since it remembers which entity sets keep client-supplied ids. Writes time out early. */
const test = testWith({}, {}).extend('unproven', async ({ sandbox }, { onCleanup }) => {
  const layer = await startTestLayer(sandbox.url, { WRITE_TIMEOUT_MS: '800' });
  onCleanup(() => layer.stop());
  return layer;
});

const updates = 'updateCustomer';
const creates = 'createSalesOrder';

/** The texts of the orders that were made by a test. */
const ordersMade = async (sandbox: TestSandbox) =>
  (await storedIn(sandbox, 'salesOrders'))
    .map(({ values }) => values.externalDocumentNumber)
    .filter((text) => /^ENTRY/.test(String(text)));

/** How often each of the first customers was written. */
const versionsOf = async (sandbox: TestSandbox, count: number) =>
  (await storedIn(sandbox, 'customers')).slice(0, count).map(({ version }) => version);

const methodsOf = async (sandbox: TestSandbox) =>
  (await sandbox.calls()).map(({ method, path }) => (path.endsWith('$batch') ? '$batch' : method));

const places = (count: number) => Array.from({ length: count }, (_, index) => `ENTRY ${index}`);
const shownAs = (texts: readonly string[]) => texts.map((text) => ({ record: { text }, userErrors: [] }));

const html = { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>Try later</html>' };

/** How a batch is lost, and whether it was carried out: now, not, or only when nobody waits for it any more. */
const losses: readonly (readonly [string, Values, 'done' | 'undone' | 'late'])[] = [
  ['reset before it is carried out', { reset: 'before' }, 'undone'],
  ['reset after it is carried out', { reset: 'after' }, 'done'],
  ['answered 504 in place of being carried out', { status: 504 }, 'undone'],
  ['carried out and answered 504', { status: 504, after: true }, 'done'],
  ['carried out and answered 503', { status: 503, after: true }, 'done'],
  ['carried out and answered too late', { delayMs: 1_100 }, 'done'],
  ['carried out when its caller has hung up', { lateMs: 1_100 }, 'late'],
  ['cut in the middle of its answer', { cutAt: 700 }, 'done'],
  ['answered with a page in place of being carried out', html, 'undone'],
  ['carried out and answered with a page', { ...html, after: true }, 'done'],
  ['carried out and answered without parts', { status: 200, after: true, body: {} }, 'done'],
];

test.for(losses)(
  'a batch of updates that is %s is never retried: each is settled by a read of its record and applied once',
  async ([_how, fault, carriedOut], { unproven, sandbox }) => {
    const entries = await entriesFor(sandbox, updates, 6);
    await sandbox.fault({ path: '$batch', ...fault });

    const { results, errors } = await many(unproven, updates, entries);
    if (carriedOut === 'late') await sleep(500);

    expect(errors).toBeUndefined();
    expect(results).toMatchObject(shownAs(places(6)));
    expect(await versionsOf(sandbox, 6)).toEqual(Array(6).fill(2));
    const [batch, reads, ...single] = await sandbox.calls();
    expect(batch?.path).toBe('/api/v2.0/$batch');
    expect(reads?.parts?.map(({ method }) => method)).toEqual(Array(6).fill('GET'));
    expect(single.map(({ method, headers }) => `${method} ${headers['if-match']}`).sort()).toEqual(
      carriedOut === 'done' ? [] : entries.map(({ ifMatch }) => `PATCH ${ifMatch}`).sort(),
    );
  },
);

test.for(
  losses.flatMap(([how, ...rest]) => ['proven', 'not proven'].map((proof) => [how, proof, ...rest] as const)),
)(
  'a batch of creates that is %s, where ids are %s to be kept, is never retried, and no record is created twice',
  async ([_how, proof, fault, carriedOut], { unproven, sandbox }) => {
    const isProven = proof === 'proven';
    if (isProven)
      expect((await many(unproven, creates, [{ customerNumber: 'C10000' }])).errors).toBeUndefined();
    const entries = await entriesFor(sandbox, creates, 3);
    await sandbox.fault({ path: '$batch', ...fault });

    const { results } = await many(unproven, creates, entries);
    if (carriedOut === 'late' && isProven) await sleep(500);

    const isFound = carriedOut === 'done';
    expect(codesOf(results)).toEqual(Array(3).fill(isFound || isProven ? '' : 'OUTCOME_UNKNOWN'));
    const single = isProven && !isFound ? ['POST', 'POST', 'POST'] : [];
    expect(await methodsOf(sandbox)).toEqual(['$batch', 'GET', 'GET', 'GET', ...single]);
    expect((await ordersMade(sandbox)).sort()).toEqual(isFound || isProven ? places(3) : []);
  },
);

test.for(['before', 'after'] as const)(
  'a batch reset %s it is carried out hides no failure: each entry is reported as its record shows',
  async (reset, { unproven, sandbox }) => {
    const absent = '00c0ffee-0000-4000-8000-000000000001';
    const faults = [{}, { ifMatch: 'W/"old"' }, { id: absent }, { patch: { email: 'no address' } }, {}];
    const entries = (await entriesFor(sandbox, updates, 5)).map((entry, index) => ({
      ...entry,
      ...faults[index],
    }));
    await sandbox.fault({ path: '$batch', reset });

    const { results } = await many(unproven, updates, entries);

    expect(codesOf(results)).toEqual(['', 'OUTCOME_UNKNOWN', 'NOT_FOUND', 'REFUSED', '']);
    expect(await versionsOf(sandbox, 5)).toEqual([2, 1, 1, 1, 2]);
    const sentAgain = (await methodsOf(sandbox)).filter((method) => method === 'PATCH');
    expect(sentAgain).toHaveLength(reset === 'before' ? 3 : 1);
  },
);

test('an entry that the response omits is verified by a read, and retried once if it was not applied', async ({
  unproven,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, updates, 6);
  await sandbox.fault({ part: true, path: String(entries[1]?.id), missing: true });
  await sandbox.fault({ part: true, path: String(entries[4]?.id), missing: 'before' });

  const { results } = await many(unproven, updates, entries);

  expect(results).toMatchObject(shownAs(places(6)));
  expect(await versionsOf(sandbox, 6)).toEqual(Array(6).fill(2));
  expect(await shapesOf(sandbox)).toEqual(['6 PATCH', 'GET', 'GET', 'PATCH']);
  expect((await sandbox.calls()).at(-1)).toMatchObject({ headers: { 'if-match': entries[4]?.ifMatch } });
});

const asUsual = { part: true, method: 'POST', headers: {} };
const left = (missing: unknown) => ({ part: true, method: 'POST', missing });

test.for([
  [
    'one that was made is found, where nothing is proven',
    [left(true), left(true)],
    ['', ''],
    ['2 POST', 'GET', 'GET'],
  ],
  [
    'one that was not made is OUTCOME_UNKNOWN, where nothing is proven',
    [left('before'), left('before')],
    ['OUTCOME_UNKNOWN', 'OUTCOME_UNKNOWN'],
    ['2 POST', 'GET', 'GET'],
  ],
  [
    'one that was not made is sent alone, where the others prove that ids are kept',
    [asUsual, left('before'), left(true)],
    ['', '', ''],
    ['3 POST', 'GET', 'GET', 'POST'],
  ],
] as const)(
  'of creates that the response omits %s',
  async ([_what, faults, codes, shapes], { unproven, sandbox }) => {
    const entries = await entriesFor(sandbox, creates, faults.length);
    for (const fault of faults) await sandbox.fault(fault);

    const { results } = await many(unproven, creates, entries);

    expect(codesOf(results)).toEqual(codes);
    expect(await shapesOf(sandbox)).toEqual(shapes);
    const made = places(faults.length).filter((_text, index) => codes[index] === '');
    expect((await ordersMade(sandbox)).sort()).toEqual(made);
  },
);

test('where an upstream stops at the first failure, the rest of the batch is sent one by one', async ({
  unproven,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, updates, 6);
  const path = ({ id }: Values) => String(id);
  await sandbox.fault({ part: true, path: path(entries[2] as Values), status: 400, body: {} });
  for (const entry of entries.slice(3))
    await sandbox.fault({ part: true, path: path(entry), missing: 'before' });

  const { results } = await many(unproven, updates, entries);

  expect(codesOf(results)).toEqual(['', '', 'REFUSED', '', '', '']);
  expect(await versionsOf(sandbox, 6)).toEqual([2, 2, 1, 2, 2, 2]);
  const calls = await sandbox.calls();
  expect(calls[0]?.path).toMatch(/\$batch$/);
  const methodsFor = ({ id }: Values) =>
    calls.filter(({ path }) => path.includes(`(${id})`)).map(({ method }) => method);
  expect(entries.map(methodsFor)).toEqual([[], [], ['GET'], ...Array(3).fill(['GET', 'PATCH'])]);
  expect(calls).toHaveLength(8);
});

test.for([
  [updates, 400, 'REFUSED'],
  [creates, 400, 'REFUSED'],
  [creates, 403, 'NOT_ALLOWED'],
] as const)(
  'a batch of %s that is refused as a whole with %s is %s for each entry, and is sent once',
  async ([name, status, code], { unproven, sandbox }) => {
    const entries = await entriesFor(sandbox, name, 3);
    await sandbox.fault({ path: '$batch', status, body: { error: { code: 'Refused', message: 'No.' } } });

    const { results } = await many(unproven, name, entries);

    expect(codesOf(results)).toEqual(Array(3).fill(code));
    expect(await methodsOf(sandbox)).toEqual(['$batch']);
  },
);

test.for([
  [updates, 401, 'UNAUTHENTICATED'],
  [updates, 429, 'UPSTREAM_THROTTLED'],
  [creates, 401, 'UNAUTHENTICATED'],
  [creates, 429, 'UPSTREAM_THROTTLED'],
] as const)(
  'a batch of %s answered %s is the error %s: nothing was carried out, and nothing is retried',
  async ([name, status, code], { unproven, sandbox }) => {
    const entries = await entriesFor(sandbox, name, 3);
    await sandbox.fault({ path: '$batch', status, headers: { 'retry-after': '7' }, body: {} });

    const { results, errors } = await many(unproven, name, entries);

    expect(results).toBeUndefined();
    expect(errors).toMatchObject([{ path: ['done'], extensions: { code, upstream: 'business' } }]);
    expect(await methodsOf(sandbox)).toEqual(['$batch']);
    expect(await ordersMade(sandbox)).toEqual([]);
    expect(await versionsOf(sandbox, 3)).toEqual([1, 1, 1]);
  },
);

const answeredTwice = (at: string) => ({
  responses: [
    { id: at, status: 204, headers: {} },
    { id: at, status: 400, headers: {}, body: { error: { code: 'Refused', message: 'No.' } } },
    { id: 'of nobody', status: 400, headers: {} },
    { id: 0, status: 204 },
  ],
});

test('of two responses to one part the first counts, and a response to an unknown part is ignored', async ({
  unproven,
  sandbox,
}) => {
  const entries = await entriesFor(sandbox, updates, 3);
  await sandbox.fault({ path: '$batch', status: 200, after: true, body: answeredTwice('1') });

  const { results } = await many(unproven, updates, entries);

  expect(results).toMatchObject(shownAs(places(3)));
  expect(await methodsOf(sandbox)).toEqual(['$batch', 'GET', 'GET', 'GET']);
  expect(await versionsOf(sandbox, 3)).toEqual([2, 2, 2]);
});
