import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { isStream, type Sent, transports } from '../../support/outcomes.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let layer: TestLayer;
let closed: TestLayer;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  layer = await startTestLayer(sandbox.url);
  closed = await startTestLayer(sandbox.url, { PAGES: 'off' });
});
afterAll(async () => {
  await layer.stop();
  await closed.stop();
  await sandbox.stop();
});

const times = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at)).join(' ');
const nested = (count: number, open: string, close: string, inner = '') =>
  open.repeat(count) + inner + close.repeat(count);
const id = `id: "${sandboxExamples.customerId}"`;

/** An operation of the kind a transport carries, with this below a company. */
const asking = (stream: boolean, below: string, variables = '') =>
  stream
    ? `subscription Q${variables} { recordChanged(types: [CUSTOMER]) { record { ... on Customer { company { ${below} } } } } }`
    : `query Q${variables} { company { ${below} } }`;

type Attack = readonly [what: string, make: (stream: boolean) => Sent, code: string];
const document =
  (below: string, variables = '', values?: unknown) =>
  (stream: boolean): Sent => ({
    query: asking(stream, below, variables),
    ...(values !== undefined && { variables: values }),
  });

const million = (first: string) =>
  `customers(first: ${first}) { nodes { salesOrders(first: ${first}) { nodes { id } } } }`;
const bomb = (levels: number) =>
  times(levels, (level) => `fragment F${level} on Company { ...F${level + 1} ...F${level + 1} }`);

const tooComplex = 'QUERY_TOO_COMPLEX';
const attacks: readonly Attack[] = [
  ['10,000 aliases', document(times(10_000, (at) => `a${at}: __typename`)), tooComplex],
  ['3,000 aliases', document(times(3_000, (at) => `a${at}: id`)), 'GRAPHQL_PARSE_FAILED'],
  ['31 aliases of __typename', document(times(31, (at) => `a${at}: __typename`)), tooComplex],
  [
    '31 aliases in fragments',
    (stream) => ({
      query: `${asking(stream, '...F ...G')} fragment F on Company { ${times(16, (at) => `a${at}: id`)} } fragment G on Company { ${times(15, (at) => `b${at}: id`)} }`,
    }),
    tooComplex,
  ],
  ['10,000 times one field', document(times(10_000, () => 'id')), 'GRAPHQL_PARSE_FAILED'],
  ['one field as often as tokens allow', document(times(1_900, () => 'id')), tooComplex],
  ['one object as often as tokens allow', document(times(300, () => 'items { totalCount }')), tooComplex],
  ['3,000 unknown directives', document(`id ${times(3_000, (at) => `@d${at}`)}`), 'GRAPHQL_PARSE_FAILED'],
  ['51 directives', document(`id ${times(51, () => '@include(if: true)')}`), tooComplex],
  ['50 unknown directives', document(`id ${times(50, (at) => `@d${at}`)}`), 'GRAPHQL_VALIDATION_FAILED'],
  ['a depth of 13', document(nested(6, `customer(${id}) { company { `, '} }', 'id')), tooComplex],
  [
    'a depth of 13 through fragments',
    (stream) => ({
      query: `${asking(stream, '...F')} fragment F on Company { ${nested(3, `customer(${id}) { company { `, '} }', '...G')} } fragment G on Company { ${nested(3, `customer(${id}) { company { `, '} }', 'id')} }`,
    }),
    tooComplex,
  ],
  ['a depth of 300', document(nested(300, '{ a ', '}').slice(1, -1)), tooComplex],
  ['a depth of 10,000', document(nested(10_000, '{a', '}').slice(1, -1)), 'GRAPHQL_PARSE_FAILED'],
  [
    'list literals 20,000 deep',
    document(`customer(id: ${nested(20_000, '[', ']')}) { id }`),
    'GRAPHQL_PARSE_FAILED',
  ],
  ['list literals 900 deep', document(`customer(id: ${nested(900, '[', ']')}) { id }`), tooComplex],
  ['a million rows by literals', document(million('1000')), tooComplex],
  ['a million rows by a variable', document(million('$n'), '($n: Int)', { n: 1_000 }), tooComplex],
  ['a million rows by the default of a variable', document(million('$n'), '($n: Int = 1000)'), tooComplex],
  [
    'a million rows by fragments',
    (stream) => ({
      query: `${asking(stream, '...F')} fragment F on Company { customers(first: 1000) { nodes { ...G } } } fragment G on Customer { salesOrders(first: 1000) { nodes { id } } }`,
    }),
    tooComplex,
  ],
  [
    'a million rows by edges',
    document(
      'customers(first: 1000) { edges { node { salesOrders(first: 1000) { edges { node { id } } } } } }',
    ),
    tooComplex,
  ],
  [
    'a million rows that a variable includes',
    document(`... @include(if: $yes) { ${million('1000')} }`, '($yes: Boolean!)', { yes: true }),
    tooComplex,
  ],
  [
    '60,000 rows by aliases',
    document(times(30, (at) => `a${at}: items(first: 1000) { nodes { id category { id } } }`)),
    tooComplex,
  ],
  [
    'a fragment cycle',
    (stream) => ({
      query: `${asking(stream, '...A')} fragment A on Company { id ...B } fragment B on Company { id ...A }`,
    }),
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'fragments of unknown fields',
    (stream) => ({
      query: `${asking(
        stream,
        times(90, (at) => `...F${at}`),
      )} ${times(90, (at) => `fragment F${at} on Company { u${at} }`)}`,
    }),
    'GRAPHQL_VALIDATION_FAILED',
  ],
  [
    'circular introspection',
    () => ({
      query: `query Q { __schema { types ${nested(5, '{ fields { type ', '} }', '{ name }')} } }`,
    }),
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['half a document', () => ({ query: '{ company {' }), 'GRAPHQL_PARSE_FAILED'],
  [
    'the name of an operation that is not there',
    (stream) => ({ ...document('id')(stream), operationName: 'x'.repeat(5_000) }),
    'BAD_USER_INPUT',
  ],
  [
    'variables 100,000 deep',
    (stream) => ({
      ...document('items(filter: $f) { totalCount }', '($f: ItemFilter)')(stream),
      variables: `{"f":${nested(100_000, '[', ']')}}`,
    }),
    'BAD_USER_INPUT',
  ],
  [
    'variables 65 deep',
    document('items(filter: $f) { totalCount }', '($f: ItemFilter)', {
      f: JSON.parse(nested(64, '{"not":', '}', '1')),
    }),
    'BAD_USER_INPUT',
  ],
  [
    '20,000 bad entries of a list',
    document('items(filter: $f) { totalCount }', '($f: ItemFilter)', { f: { and: Array(20_000).fill(7) } }),
    'QUERY_TOO_COMPLEX',
  ],
];

describe.each(Object.entries(transports))('over %s', (name, send) => {
  const stream = isStream(name);

  test.each(attacks)(
    '%s is rejected with a short message, and nothing is sent upstream',
    async (_what, make, code) => {
      const sent = make(stream);
      await sandbox.forgetCalls();
      const outcome = await send(layer.url, sent);
      const size = new URLSearchParams({
        query: sent.query,
        variables: JSON.stringify(sent.variables ?? ''),
      }).toString().length;

      if (name.endsWith('GET') && size > 15_000) expect(outcome.status).toBe(431);
      // Too long, or so deep that its JSON cannot be read.
      else if (name === 'WebSocket' && size > 60_000) expect([1009, 4400, 0]).toContain(outcome.status);
      else {
        expect(new Set(outcome.codes)).toEqual(new Set([code]));
        // Values are looked at when the stream has begun: what is wrong with them is its first event.
        expect(code === 'BAD_USER_INPUT' && stream ? [400, 200, 0] : [400, 0]).toContain(outcome.status);
        expect(outcome.hasRequestIds).toBe(true);
      }
      expect(outcome.codes.length).toBeLessThanOrEqual(5);
      expect(outcome.length).toBeLessThan(4_096);
      expect(
        (await sandbox.calls()).filter(
          ({ path }) => /customers|items|salesOrders/.test(path) && !/changes|lastModified/.test(path),
        ),
      ).toEqual([]);
    },
  );

  test.each([
    ['the whole schema', getIntrospectionQuery()],
    ['a type', '{ __type(name: "Query") { name } }'],
    ['the schema in a fragment', 'query { ...F } fragment F on Query { s: __schema { queryType { name } } }'],
    ['the schema beside data', '{ company { id } __schema { queryType { name } } }'],
    ['the schema as SDL', '{ _service { sdl } }'],
    ['the schema as SDL under another name', '{ a: _service { b: sdl } }'],
  ])('with introspection off, %s is not returned', async (_what, query) => {
    const { codes, messages, length } = await send(closed.url, { query });

    expect(codes.length).toBeGreaterThan(0);
    expect(new Set(codes)).toEqual(new Set(['GRAPHQL_VALIDATION_FAILED']));
    expect(messages.join(' ')).toMatch(/introspection has been disabled|introspection is off/);
    expect(length).toBeLessThan(4_096);
  });

  test('names from the schema are suggested in errors only with introspection on', async () => {
    const misspelled: readonly (readonly [suggested: string, sent: Sent])[] = [
      ['"name"', { query: asking(stream, 'nam') }],
      ['"customers"', { query: asking(stream, 'customerz { nodes { id } }') }],
      ['"first"', { query: asking(stream, 'items(frst: 1) { totalCount }') }],
      ['"number"', { query: asking(stream, 'items(filter: { numbr: {} }) { totalCount }') }],
      ['"NUMBER_ASC"', { query: asking(stream, 'items(orderBy: [NUMBR_ASC]) { totalCount }') }],
      ['"Company"', { query: asking(stream, '... on Companie { id }') }],
      [
        '"number"',
        {
          query: asking(stream, 'items(filter: $f) { totalCount }', '($f: ItemFilter)'),
          variables: { f: { numbr: {} } },
        },
      ],
      [
        '"NUMBER_ASC"',
        {
          query: asking(stream, 'items(orderBy: $o) { totalCount }', '($o: [ItemOrder!])'),
          variables: { o: ['NUMBR_ASC'] },
        },
      ],
    ];
    for (const [suggested, sent] of misspelled) {
      const [open, shut] = [await send(layer.url, sent), await send(closed.url, sent)];
      expect(open.messages.join(' ')).toMatch(new RegExp(`Did you mean .*${suggested}`));
      expect(shut.codes, sent.query).toEqual(open.codes);
      expect(shut.messages.join(' ')).not.toMatch(/did you mean/i);
      expect(shut.messages.join(' ')).not.toContain(suggested);
    }
  });

  test('aliases like __proto__ and constructor are ordinary names', async () => {
    const below = '__proto__: id constructor: name toString: displayName hasOwnProperty: __typename';
    const { codes } = stream
      ? await send(layer.url, { query: asking(true, `${below} nam`) })
      : await send(layer.url, { query: asking(false, below) });

    expect(codes).toEqual(stream ? ['GRAPHQL_VALIDATION_FAILED'] : []);
    expect(({} as Record<string, unknown>).id).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

test('a fragment bomb of a million spreads is rejected at once', async () => {
  const query = `{ company { ...F0 } } ${bomb(20)} fragment F20 on Company { id }`;
  const { data, errors } = await layer.query(query);

  expect(errors).toBeUndefined();
  expect(data.company.id).toEqual(expect.any(String));
});

test.each([
  ['customers(filter: { lastModifiedDateTime: { gt: "soon" } })', 'filter', 'DateTime: "soon" is not', 61],
  ['customers(filter: { balanceDue: { gt: "1e3" } })', 'filter', 'Decimal: "1e3" is not', 51],
  ['customer(id: "C10000")', 'id', 'UUID: "C10000" is not', 26],
  ['customers(first: "all")', 'first', 'Int cannot represent', 30],
])(
  'the error of a literal in %s names its argument and its place',
  async (field, argument, problem, column) => {
    const { errors } = await layer.query(`{ company { ${field} { __typename } } }`);

    expect(errors).toMatchObject([
      {
        message: expect.stringContaining(`Argument "${argument}": ${problem}`),
        locations: [{ line: 1, column }],
        extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
      },
    ]);
  },
);
