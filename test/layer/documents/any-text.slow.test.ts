import fc from 'fast-check';
import { expect } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { test } from '../../support/layer.ts';

const find = `query ($filter: CustomerFilter!) {
  company { customers(first: 1000, filter: $filter) { totalCount nodes { id displayName } } }
}`;

/** Pieces that have a meaning to OData, to addresses or to JSON. */
const fragments = fc.constantFrom(
  "'",
  "''",
  '%27',
  '%',
  "') or (1 eq 1",
  "' or displayName ne '",
  ' and ',
  'contains(displayName,',
  '$filter=',
  '&$top=0',
  '?#',
  '+',
  ';',
  '\\',
  '"',
  '/*',
  '\u0000',
  '\n',
  '\u007f',
  '\ud83d',
  '\udc00',
  '\u2028',
  '\ufeff',
  'é',
  '_x0020_',
  '1234567890123456789',
);

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc
    .array(fc.oneof(fragments, fc.string({ maxLength: 3 })), { maxLength: 12 })
    .map((parts) => parts.join('')),
  // Lone halves of surrogate pairs, which JSON can carry and an address cannot.
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 20 })
    .map((units) => String.fromCharCode(...units)),
);

/** What an address can carry of a text. */
const wellFormed = (text: string) => Buffer.from(text).toString();

test('whatever text a filter compares with, exactly the matching records are found', async ({ layer }) => {
  const all = await layer.query(find, { filter: {} });
  const customers: { id: string; displayName: string }[] = all.data.company.customers.nodes;
  // Most texts match nothing: some are taken out of the names themselves.
  const part = fc
    .tuple(fc.constantFrom(...customers), fc.nat(30), fc.nat(8))
    .map(([{ displayName }, from, length]) => displayName.slice(from, from + length));
  const operators = {
    eq: (name: string, text: string) => name === text,
    contains: (name: string, text: string) => name.includes(text),
    startsWith: (name: string, text: string) => name.startsWith(text),
    endsWith: (name: string, text: string) => name.endsWith(text),
  };
  const operator = fc.constantFrom(...(Object.keys(operators) as (keyof typeof operators)[]));

  await fc.assert(
    fc.asyncProperty(operator, fc.oneof(anyText, part), async (name, text) => {
      const { data, errors } = await layer.query(find, { filter: { displayName: { [name]: text } } });

      const expected = customers.filter((one) => operators[name](one.displayName, wellFormed(text)));
      expect(errors).toBeUndefined();
      expect(data.company.customers).toEqual({ totalCount: expected.length, nodes: expected });
    }),
    { numRuns: 400 },
  );
});

test('whatever name a record has, a filter by that name finds it and no other', async ({
  layer,
  sandbox,
}) => {
  const id = sandboxExamples.customerId;
  const address = `/api/v2.0/companies(${sandboxCompanyId})/customers(${id})`;
  // The upstream keeps 100 characters, without the blanks at their end.
  const anyName = anyText
    .map((text) => wellFormed(text.slice(0, 100)).trimEnd())
    .filter((name) => name !== '');

  await fc.assert(
    fc.asyncProperty(anyName, async (displayName) => {
      const written = await sandbox.send('PATCH', address, { displayName }, { 'if-match': '*' });
      expect(written.status).toBe(200);

      for (const filter of [
        { displayName: { eq: displayName } },
        { displayName: { in: [displayName, 'none'] } },
      ]) {
        const { data, errors } = await layer.query(find, { filter });
        expect(errors).toBeUndefined();
        expect(data.company.customers).toEqual({ totalCount: 1, nodes: [{ id, displayName }] });
      }
    }),
    { numRuns: 200 },
  );
});

const page = `query ($after: String) {
  company { customers(first: 3, after: $after) { nodes { number } edges { cursor } } }
}`;

test('a cursor with any one character replaced, deleted or inserted is BAD_USER_INPUT, and nothing is sent', async ({
  layer,
  sandbox,
}) => {
  const { data } = await layer.query(page);
  const cursors: string[] = data.company.customers.edges.map(({ cursor }: { cursor: string }) => cursor);
  await sandbox.forgetCalls();
  const edited = new Set<string>();
  // One inside a page and one at its end, which holds the upstream's own words for the next.
  for (const cursor of [cursors[0] as string, cursors[2] as string]) {
    for (let at = 0; at <= cursor.length; at += 1) {
      const [before, after] = [cursor.slice(0, at), cursor.slice(at + 1)];
      edited.add(before + after);
      for (const character of ['A', 'g', '.', '=', '\ud800']) {
        edited.add(before + character + after);
        edited.add(before + character + cursor.slice(at));
      }
    }
    edited.delete(cursor);
  }
  expect(edited.size).toBeGreaterThan(700);

  for (const after of edited) {
    const answer = await layer.query(page, { after });
    expect(answer.errors, after).toMatchObject([
      {
        message: expect.stringContaining('`after` is not a cursor of this list'),
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
  }
  expect(await sandbox.calls()).toEqual([]);
});
