import { getIntrospectionQuery } from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sandboxExamples } from '../../../sandbox/seed.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { isStream, type Sent, transports } from '../../support/outcomes.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

const tightLimits = {
  MAX_TOKENS: '60',
  MAX_COST: '100',
};
let sandbox: TestSandbox;
let layer: TestLayer;
let closed: TestLayer;
let tight: TestLayer;
beforeAll(async () => {
  sandbox = await startTestSandbox();
  layer = await startTestLayer(sandbox.url);
  closed = await startTestLayer(sandbox.url, { PAGES: 'off' });
  tight = await startTestLayer(sandbox.url, tightLimits);
});
afterAll(async () => {
  for (const one of [layer, closed, tight]) await one.stop();
  await sandbox.stop();
});

const times = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at)).join(' ');
const nested = (count: number, open: string, close: string, inner = '') =>
  open.repeat(count) + inner + close.repeat(count);

/** An operation of the kind a transport carries, with this below a company. */
const asking = (stream: boolean, below: string, variables = '') =>
  stream
    ? `subscription Q${variables} { recordChanged(types: [CUSTOMER]) { record { ... on Customer { company { ${below} } } } } }`
    : `query Q${variables} { company { ${below} } }`;
const inCompany = (below: string, more = '', variables = ''): string =>
  `${asking(false, below, variables)} ${more}`;
const fragments = (count: number, inner: (at: number) => string) =>
  inCompany(
    times(count, (at) => `...F${at}`),
    times(count, (at) => `fragment F${at} on Company { ${inner(at)} }`),
  );
const million = (first: string) =>
  `customers(first: ${first}) { nodes { salesOrders(first: ${first}) { nodes { id } } } }`;
const filtered = inCompany('items(filter: $f) { totalCount }', '', '($f: ItemFilter)');

const tooComplex = 'QUERY_TOO_COMPLEX';
const unparsed = 'GRAPHQL_PARSE_FAILED';
const invalid = 'GRAPHQL_VALIDATION_FAILED';
const badInput = 'BAD_USER_INPUT';

type Attack = readonly [what: string, code: string, query: string, more?: Partial<Sent>];
const attacks: readonly Attack[] = [
  ['31 aliases', tooComplex, inCompany(times(31, (at) => `a${at}: __typename`))],
  ['3,000 aliases', unparsed, inCompany(times(3_000, (at) => `a${at}: id`))],
  ['list literals 900 deep', tooComplex, inCompany(`customer(id: ${nested(900, '[', ']')}) { id }`)],
  ['a million rows by literals', tooComplex, inCompany(million('1000'))],
  [
    'a million rows by a variable',
    tooComplex,
    inCompany(million('$n'), '', '($n: Int)'),
    { variables: { n: 1_000 } },
  ],
  [
    'a million rows by a default',
    tooComplex,
    inCompany(million('$constructor'), '', '($constructor: Int = 1000)'),
  ],
  [
    'a million rows that a variable includes',
    tooComplex,
    inCompany(`... @include(if: $yes) { ${million('1000')} }`, '', '($yes: Boolean!)'),
    { variables: { yes: true } },
  ],
  ['a fragment cycle', invalid, fragments(1, () => '...F0')],
  ['a text of 50,000 characters', invalid, inCompany(`customer(id: "${'x'.repeat(50_000)}") { id }`)],
  [
    'circular introspection',
    invalid,
    `{ __schema { types ${nested(5, '{ fields { type ', '} }', '{ name }')} } }`,
  ],
  ['half a surrogate pair', unparsed, inCompany('customer(id: "\\uD800") { id }')],
  ['the operation name __proto__', badInput, inCompany('id'), { operationName: '__proto__' }],
  ['variables 100,000 deep', badInput, filtered, { variables: `{"f":${nested(100_000, '[', ']')}}` }],
  [
    '20,000 bad entries of a list',
    tooComplex,
    filtered,
    { variables: { f: { and: Array(20_000).fill(7) } } },
  ],
];

test.for(attacks)(
  '%s is %s with a short message, and nothing is sent upstream',
  async ([, code, query, more]) => {
    await sandbox.forgetCalls();

    const outcome = await transports.POST?.(layer.url, { query, ...more });

    expect(outcome).toMatchObject({ status: 400, hasRequestIds: true });
    expect(new Set(outcome?.codes)).toEqual(new Set([code]));
    expect(outcome?.codes.length).toBeLessThanOrEqual(5);
    expect(outcome?.length).toBeLessThan(4_096);
    expect(outcome?.messages.join(' ')).not.toMatch(/call stack/i);
    expect(await sandbox.calls()).toEqual([]);
    expect(Object.keys(Object.prototype)).toEqual([]);
  },
);

describe('as much as a limit allows is accepted, and one more is', () => {
  /** A document of so many tokens, of which all but the last are as short as they can be. */
  const tokens = (count: number) => `{ company { ${times(count - 5, () => 'id')} } }`;
  const rows = (count: number, variables = '') =>
    `query ${variables} { companies(first: ${count}) { nodes { id } } }`;
  const entities = 'query ($all: [_Any!]!) { _entities(representations: $all) { __typename } }';
  const references = (count: number) =>
    Array(count).fill({ __typename: 'Company', id: sandboxExamples.customerId });

  test.each<[string, string, Sent, Sent]>([
    ['tokens', unparsed, { query: tokens(60) }, { query: tokens(61) }],
    [
      'levels of variables',
      badInput,
      { query: '{ __typename }', variables: JSON.parse(`${nested(63, '{"a":', '}', '{}')}`) },
      { query: '{ __typename }', variables: JSON.parse(`${nested(64, '{"a":', '}', '{}')}`) },
    ],
    ['rows', tooComplex, { query: rows(100) }, { query: rows(101) }],
    // Each costs twenty.
    [
      'representations',
      tooComplex,
      { query: entities, variables: { all: references(5) } },
      { query: entities, variables: { all: references(6) } },
    ],
  ])('of %s %s', async (_what, code, at, above) => {
    expect((await transports.POST?.(tight.url, at))?.codes).toEqual([]);
    await sandbox.forgetCalls();
    expect((await transports.POST?.(tight.url, above))?.codes).toEqual([code]);
    expect(await sandbox.calls()).toEqual([]);
  });
});

describe.each(Object.entries(transports))('over %s', (name, send) => {
  const stream = isStream(name);

  test('every kind of check rejects', async () => {
    await sandbox.forgetCalls();
    const rejected: [code: string, sent: Sent][] = [
      [unparsed, { query: '{ company {' }],
      [invalid, { query: asking(stream, 'nam') }],
      [tooComplex, { query: asking(stream, million('1000')) }],
      [badInput, { query: asking(stream, 'id'), operationName: 'none' }],
    ];
    for (const [code, sent] of rejected) {
      const { codes, hasRequestIds } = await send(layer.url, sent);
      expect({ codes, hasRequestIds }).toEqual({ codes: [code], hasRequestIds: true });
    }
    expect(await sandbox.calls()).toEqual([]);
  });

  test.each([
    ['the whole schema', getIntrospectionQuery()],
    ['the schema as SDL under another name', '{ a: _service { b: sdl } }'],
  ])('with introspection off, %s is not returned', async (_what, query) => {
    const { codes, messages } = await send(closed.url, { query });

    expect(new Set(codes)).toEqual(new Set([invalid]));
    expect(messages.join(' ')).toMatch(/introspection has been disabled|introspection is off/);
  });

  test('names from the schema are suggested in errors only with introspection on', async () => {
    const misspelled: readonly (readonly [suggested: string, sent: Sent])[] = [
      ['"name"', { query: asking(stream, 'nam') }],
      [
        '"number"',
        {
          query: asking(stream, 'items(filter: $f) { totalCount }', '($f: ItemFilter)'),
          variables: { f: { numbr: {} } },
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
});
