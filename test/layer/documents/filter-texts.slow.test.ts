import fc from 'fast-check';
import { expect } from 'vitest';
import { type Tree, treeOf } from '../../support/cases/filter-tree.ts';
import { type TestLayer, testBeforeStub } from '../../support/layer.ts';
import type { Stub } from '../../support/stub.ts';

const test = testBeforeStub(() => ({ body: { value: [] } }));
interface Scene {
  readonly stub: Stub;
  readonly layer: TestLayer;
}

const list = `query ($filter: CustomerFilter) {
  company { customers(filter: $filter, orderBy: CITY_ASC) { nodes { city } } }
}`;

/** The tree of the `$filter` that is sent for one of the graph; null where nothing is. */
async function sent({ stub, layer }: Scene, filter: object): Promise<Tree | null> {
  const before = stub.requests.length;
  await layer.query(list, { filter });
  const [request, ...others] = stub.requests.slice(before);
  expect(others).toEqual([]);
  if (!request) return null;
  const [path, query = '', ...more] = request.target.split('?');
  expect([path?.split('/').at(-1), more]).toEqual(['customers', []]);
  expect(query).toMatch(/^[\w\-.~!*'()%$&=,;:/]+$/);
  const options = query.split('&').map((pair) => pair.split('='));
  expect(options.map(([name]) => name)).toEqual(['$filter', '$orderby', '$select']);
  const text = decodeURIComponent(options[0]?.slice(1).join('=') ?? '');
  return treeOf(text);
}

const words = [
  ...["O'Brien", "x' or 1 eq 1", "x' or '1' eq '1", "'", "''", "'''", "'".repeat(1_000), '%27', '%2527'],
  ...['&$top=0', '&$filter=1 eq 1', '#', '?', '\n', '\r\n', '\t', '\0', ')', "') or contains(city,'"],
  ...['null', 'true', '1', '2026-01-01', '5d115c9c-44e3-ea11-bb43-000d3a2feca1', "datetime'2026'", '$it'],
  ...[' ', "' ", '\\', "\\'", '/*', '--', ';', '@p1', '_x0027_'],
  ...['\u2019', '\u02bc', '\uff07', '\ud800', '\u2028', 'é'],
];
const anyText = fc
  .oneof(
    fc.constantFrom(...words),
    fc
      .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 2 })), { maxLength: 5 })
      .map((all) => all.join('')),
    fc.string({ unit: 'binary', maxLength: 30 }),
  )
  .filter((text) => text !== '' && text.length < 2_100);

const isGuid = (text: string) => /^[0-9a-f-]{36}$/.test(text);
const wellFormed = (text: string) => Buffer.from(text).toString();

/** A filter of any shape over texts, of which it only knows the places. */
const shapes = fc.letrec((tie) => ({
  filter: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.record({
      column: fc.constantFrom('city', 'number', 'displayName'),
      operator: fc.constantFrom(
        'eq',
        'ne',
        'gt',
        'ge',
        'lt',
        'le',
        'contains',
        'startsWith',
        'endsWith',
        'in',
      ),
      at: fc.nat(4),
    }),
    fc.record({
      joint: fc.constantFrom('and', 'or'),
      parts: fc.array(tie('filter'), { minLength: 1, maxLength: 3 }),
    }),
    fc.record({ negated: tie('filter') }),
  ),
})).filter as fc.Arbitrary<Shape>;
type Shape =
  | { readonly column: string; readonly operator: string; readonly at: number }
  | { readonly joint: string; readonly parts: readonly Shape[] }
  | { readonly negated: Shape };

function filterOf(shape: Shape, texts: readonly string[]): object {
  if ('joint' in shape) return { [shape.joint]: shape.parts.map((part) => filterOf(part, texts)) };
  if ('negated' in shape) return { not: filterOf(shape.negated, texts) };
  const value = texts[shape.at % texts.length];
  return { [shape.column]: { [shape.operator]: shape.operator === 'in' ? [value, ...texts] : value } };
}

const exchange = (tree: Tree | null, from: readonly string[], to: readonly string[]): Tree | null => {
  if (tree === null || typeof tree === 'string') return tree;
  if ('text' in tree) return { text: to[from.indexOf(tree.text)] ?? tree.text };
  return tree.map((part) => exchange(part, from, to) as Tree);
};

test('whatever texts a filter of whatever shape compares with, its tree is that of harmless texts, with the texts as literals', async ({
  scene,
}) => {
  await fc.assert(
    fc.asyncProperty(
      shapes,
      fc.uniqueArray(anyText, { minLength: 1, maxLength: 3 }),
      async (shape, texts) => {
        const harmless = texts.map((_text, index) => `harmless${index}`);

        const plain = await sent(scene, filterOf(shape, harmless));
        const hostile = await sent(scene, filterOf(shape, texts));

        // Too long a filter is not sent, however harmless a short one is.
        if (hostile !== null) expect(hostile).toEqual(exchange(plain, harmless, texts.map(wellFormed)));
      },
    ),
    { numRuns: 300 },
  );
});

test.for([
  ['id', 'a GUID'],
  ['currencyId', 'a GUID'],
  ['lastModifiedDateTime', 'an instant'],
  ['creditLimit', 'a decimal'],
  ['taxLiable', 'a boolean'],
] as const)('a filter by %s accepts %s, and sends nothing else', async ([column], { scene }) => {
  for (const text of [
    ...words,
    '1 or 1 eq 1',
    '1e4000',
    'PERSON or 1',
    '{5d115c9c-44e3-ea11-bb43-000d3a2feca1}',
  ]) {
    if (text === '1' || (column.endsWith('d') && isGuid(text))) continue;
    const before = scene.stub.requests.length;
    const { errors } = await scene.layer.query(list, { filter: { [column]: { eq: text } } });
    expect(errors, text).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(scene.stub.requests).toHaveLength(before);
  }
});
