import { describe, expect, test as plain } from 'vitest';
import { sandboxCompanyId } from '../../../sandbox/seed/seed.ts';
import { test } from '../../support/layer.ts';
import { isStream, type Sent, transports } from '../../support/outcomes.ts';

const times = (count: number, piece: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => piece(at)).join(' ');
const nested = (count: number, open: string, close: string, inner = '') =>
  open.repeat(count) + inner + close.repeat(count);

const asking = (stream: boolean, below: string) =>
  stream
    ? `subscription { recordChanged { record { ... on Customer { company { ${below} } } } } }`
    : `{ company { ${below} } }`;
const text = (query: string) => (): Sent => ({ query });
const below =
  (selection: string) =>
  (stream: boolean): Sent => ({ query: asking(stream, selection) });
const fragments =
  (count: number, inner: (at: number) => string) =>
  (stream: boolean): Sent => ({
    query: `${asking(
      stream,
      times(count, (at) => `...F${at}`),
    )} ${times(count, (at) => `fragment F${at} on Company { ${inner(at)} }`)}`,
  });
const doubled =
  (levels: number, inner: string) =>
  (stream: boolean): Sent => ({
    query: `${asking(stream, '...F0')} ${times(
      levels,
      (at) => `fragment F${at} on Company { ...F${at + 1} ...F${at + 1} }`,
    )} fragment F${levels} on Company { ${inner} }`,
  });
const named =
  (operationName: unknown) =>
  (stream: boolean): Sent => ({
    query: stream ? 'subscription A { recordChanged { id } }' : 'query A { company { id } }',
    operationName,
  });

const complex = 'QUERY_TOO_COMPLEX';
const unparsed = 'GRAPHQL_PARSE_FAILED';
const invalid = 'GRAPHQL_VALIDATION_FAILED';

const forms: readonly (readonly [what: string, code: string, make: (stream: boolean) => Sent])[] = [
  ['50,000 times one field', complex, below(times(50_000, () => 'id'))],
  ['301 times one field', complex, below(times(301, () => 'id'))],
  ['101 times one object', complex, below(times(101, () => 'items { totalCount }'))],
  [
    '101 times one object, in fragments',
    complex,
    fragments(1, () => times(101, () => 'items { totalCount }')),
  ],
  ['300 overlapping fragments', unparsed, fragments(300, () => 'id name')],
  ['101 overlapping fragments', complex, fragments(101, () => 'id name')],
  ['a page spread 2^20 times over', complex, doubled(20, 'items(first: 1) { totalCount }')],
  ['a fragment of itself', invalid, fragments(1, () => '...F0')],
  ['10,000 unknown directives', complex, below(`id ${times(10_000, (at) => `@d${at}`)}`)],
  ['a depth of 1,000', unparsed, text(nested(1_000, '{ a ', '}'))],
  ['a depth of 80,000', complex, text(nested(80_000, '{a', '}'))],
  ['inline fragments 600 deep', complex, below(nested(600, '... { ', '}', 'id'))],
  ['a filter 400 deep', complex, below(`items(filter: ${nested(400, '{not:', '}', '{}')}) { totalCount }`)],
  ['a type 900 deep', complex, text(`query ($v: ${nested(900, '[', ']', 'Int')}) { __typename }`)],
  ['390 operations', complex, text(times(390, (at) => `query Q${at} { __typename }`))],
  ['100,000 comments', complex, (stream) => ({ query: asking(stream, 'id') + '#\n'.repeat(100_000) })],
  ['a text of 60,000 lines', complex, below(`customer(id: """${' \n'.repeat(60_000)}""") { id }`)],
  ['a text of 50,000 characters', invalid, below(`customer(id: "${'x'.repeat(50_000)}") { id }`)],
  ['a name of 50,000 characters', invalid, below('x'.repeat(50_000))],
  ['five names of 10,000 characters', invalid, below(times(5, (at) => `x${at}`.repeat(5_000)))],
  ['a number of 50,000 digits', invalid, below(`items(first: 1${'0'.repeat(50_000)}) { totalCount }`)],
  ['an enum value of 50,000 letters', invalid, below(`items(version: ${'V'.repeat(50_000)}) { totalCount }`)],
  ['1,900 unknown fields', invalid, below(times(1_900, (at) => `u${at}`))],
  ['600 unknown arguments', invalid, below(`items(${times(600, (at) => `u${at}: 1`)}) { totalCount }`)],
  ['400 unused variables', invalid, text(`query (${times(400, (at) => `$v${at}: Int`)}) { __typename }`)],
  ['definitions of types', invalid, text('type Query { a: Int } query { __typename }')],
  ['a comment alone', unparsed, text('# nothing')],
  ['a name with a unicode escape', unparsed, text('{ \\u0063ompany { id } }')],
  ['half a surrogate pair', unparsed, below('customer(id: "\\uD800") { id }')],
  ['a null byte', unparsed, text('{ company\0 { id } }')],
  ['an operation name of 100,000 characters', 'BAD_USER_INPUT', named('x'.repeat(100_000))],
  ['the operation name __proto__', 'BAD_USER_INPUT', named('__proto__')],
  ['the operation name constructor', 'BAD_USER_INPUT', named('constructor')],
];

// What is too long for an address or a frame is refused as such, whatever it holds.
const room: Readonly<Record<string, number>> = {
  GET: 15_000,
  'event streams by GET': 15_000,
  WebSocket: 65_000,
};
const sizeOver = (name: string, sent: Sent) =>
  name.endsWith('GET') ? encodeURIComponent(JSON.stringify(sent)).length : JSON.stringify(sent).length;

describe.each(Object.entries(transports))('over %s', (name, send) => {
  const rows = forms
    .map(([what, code, make]) => [what, code, make(isStream(name))] as const)
    .filter(([, , sent]) => sizeOver(name, sent) < (room[name] ?? 256 * 1024));

  test.for(rows)('%s is %s, with a short message', async ([_what, code, sent], { layer, sandbox }) => {
    const { status, codes, messages, hasRequestIds, length } = await send(layer.url, sent);

    expect(new Set(codes)).toEqual(new Set([code]));
    expect([400, 0]).toContain(status);
    expect(hasRequestIds).toBe(true);
    expect(codes.length).toBeLessThanOrEqual(5);
    expect(length).toBeLessThan(4_096);
    expect(messages.join(' ')).not.toMatch(/did you mean|call stack/i);
    expect(await sandbox.calls()).toEqual([]);
    expect((await layer.query('{ company { id } }')).data.company.id).toBe(sandboxCompanyId);
  });
});

test.for([16, 18, 20])('a fragment that is spread 2^%i times is visited once', async (levels, { layer }) => {
  const { data } = await layer.query(doubled(levels, 'id')(false).query);

  expect(data).toEqual({ company: { id: sandboxCompanyId } });
});

test.for(['POST', 'GET'])('an empty operation name over %s counts as none', async (name, { layer }) => {
  const { codes, status } = await (transports[name] as (typeof transports)[string])(
    layer.url,
    named('')(false),
  );

  expect({ codes, status }).toEqual({ codes: [], status: 200 });
});

test('a document with as many repetitions as realistic documents have is accepted', async ({ layer }) => {
  const objects = times(99, () => 'company { id }');
  const spreads = times(100, (at) => `...F${at}`);
  const spread = times(100, (at) => `fragment F${at} on Company { name }`);

  const { data, errors } = await layer.query(`{ ${objects} company { ${spreads} } } ${spread}`);

  expect(errors).toBeUndefined();
  expect(data.company).toMatchObject({ id: sandboxCompanyId, name: expect.any(String) });
});

plain('none of these requests leaves a property on Object.prototype', () => {
  expect(Object.keys(Object.prototype)).toEqual([]);
});
