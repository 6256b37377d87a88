import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { isStream, type Sent, transports } from '../../support/outcomes.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

let sandbox: TestSandbox;
let layer: TestLayer;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  layer = await startTestLayer(sandbox.url, {
    MAX_TOKENS: '60',
    MAX_DEPTH: '6',
    MAX_ALIASES: '4',
    MAX_DIRECTIVES: '3',
    MAX_COST: '100',
  });
});
afterAll(async () => {
  await layer.stop();
  await sandbox.stop();
});

const times = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at)).join(' ');
const id = `id: "${sandboxExamples.customerId}"`;

/** An operation that is answered at once by each kind of transport, with this below a record of area A or C. */
const asking = (stream: boolean, below: string, variables = '') =>
  stream
    ? `subscription Q${variables} { healthEventChanged(trackingId: "SI_1-QRT") { ${below} } }`
    : `query Q${variables} { healthEvent(trackingId: "SI_1-QRT") { ${below} } }`;

type Limit = readonly [
  what: string,
  code: string,
  at: (stream: boolean) => Sent,
  above: (stream: boolean) => Sent,
];

const query =
  (below: string, variables?: string, values?: unknown) =>
  (stream: boolean): Sent => ({
    query: asking(stream, below, variables),
    ...(values !== undefined && { variables: values }),
  });

/** A document of so many tokens, of which all but the last words are as short as they can be. */
const tokens =
  (count: number) =>
  (stream: boolean): Sent => {
    const [words, rest] = [asking(stream, 'title'), count];
    const own = words.match(/[A-Za-z]\w*|"[^"]*"|[{}():]/g)?.length ?? 0;
    return { query: words.replace('title', `title ${times(rest - own, () => 'id')}`) };
  };

const depth = (levels: 6 | 7): Sent => ({
  query: `{ company { customer(${id}) { company { customer(${id}) { company { ${levels === 6 ? 'id' : `customer(${id}) { id }`} } } } } } }`,
});

const directives = (count: number) =>
  ['id', 'title', 'status', 'eventType']
    .map((field, at) => (at < count ? `${field} @include(if: true)` : field))
    .join(' ');
const deep = (levels: number): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);

const limits: readonly Limit[] = [
  ['tokens', 'GRAPHQL_PARSE_FAILED', tokens(60), tokens(61)],
  [
    'aliases',
    'QUERY_TOO_COMPLEX',
    query(times(4, (at) => `a${at}: id`)),
    query(times(5, (at) => `a${at}: id`)),
  ],
  ['directives', 'QUERY_TOO_COMPLEX', query(directives(3)), query(directives(4))],
  ['levels of variables', 'BAD_USER_INPUT', query('id', '', deep(64)), query('id', '', deep(65))],
];

describe.each(Object.entries(transports))('over %s', (name, send) => {
  test.each(limits)(
    'as many %s as allowed are accepted, and one more is %s',
    async (_what, code, at, above) => {
      expect((await send(layer.url, at(isStream(name)))).codes).toEqual([]);
      expect((await send(layer.url, above(isStream(name)))).codes).toEqual([code]);
    },
  );
});

describe.each(['POST', 'GET'] as const)('over %s', (name) => {
  const send = transports[name] as (typeof transports)[string];

  test('a document of the maximum depth is accepted, and a deeper one is QUERY_TOO_COMPLEX', async () => {
    expect((await send(layer.url, depth(6))).codes).toEqual([]);
    expect((await send(layer.url, depth(7))).codes).toEqual(['QUERY_TOO_COMPLEX']);
  });

  test.each([
    [
      'by its pages',
      (rows: number) => ({
        query: `{ companies(first: 1) { nodes { customers(first: ${rows - 1}) { nodes { id } } } } }`,
      }),
    ],
    [
      'by variables',
      (rows: number) => ({
        query: 'query ($n: Int) { companies(first: $n) { nodes { id } } }',
        variables: { n: rows },
      }),
    ],
    [
      'by what is put in',
      (rows: number) => ({
        query:
          'query ($n: Int, $yes: Boolean!) { companies(first: $n) { nodes { id } } company @include(if: $yes) { id } }',
        variables: { n: rows - 1, yes: true },
      }),
    ],
    [
      'by representations',
      (rows: number) => ({
        query: 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }',
        // Each costs twenty.
        variables: {
          all: Array(Math.ceil(rows / 20)).fill({ __typename: 'Company', id: sandboxExamples.customerId }),
        },
      }),
    ],
  ])(
    'an operation of the maximum cost %s is accepted, and one more row is QUERY_TOO_COMPLEX',
    async (_how, make) => {
      expect((await send(layer.url, make(100))).codes).toEqual([]);
      await sandbox.forgetCalls();
      expect((await send(layer.url, make(101))).codes).toEqual(['QUERY_TOO_COMPLEX']);
      expect(await sandbox.calls()).toEqual([]);
    },
  );
});

test.each(Object.entries(transports))(
  'an operation that costs too much is rejected over %s, also if a subscription event would execute it',
  async (name, send) => {
    const rows = (count: number): Sent => ({
      query: isStream(name)
        ? `subscription { recordChanged(types: [CUSTOMER]) { record { ... on Customer { salesOrders(first: ${count}) { nodes { id } } } } } }`
        : `{ company { customers(first: ${count}) { nodes { id } } } }`,
    });

    expect((await send(layer.url, rows(101))).codes).toEqual(['QUERY_TOO_COMPLEX']);
  },
);
