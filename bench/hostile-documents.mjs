// Hostile requests by kind. Each is generated from a number, so that no two are equal and nothing is cached. `isStream`
// marks transports for subscriptions only. A string is sent as the raw body; anything else is sent as JSON.

const times = (count, piece) => Array.from({ length: count }, (_, at) => piece(at)).join(' ');
const nested = (count, open, close, inner = '') => open.repeat(count) + inner + close.repeat(count);

/** An operation with this selection on a company. */
const asking = (n, isStream, selection, variables = '') =>
  isStream
    ? `subscription Q${n}${variables} { recordChanged { record { ... on Customer { company { ${selection} } } } } }`
    : `query Q${n}${variables} { company { ${selection} } }`;

const document = (make) => (n, isStream) => ({ query: make(n, isStream) });
const selecting = (make) => document((n, isStream) => asking(n, isStream, make(n)));
const spreading = (count, make) =>
  document(
    (n, isStream) =>
      `${asking(
        n,
        isStream,
        times(count, (at) => `...F${at}`),
      )} ${times(count, (at) => `fragment F${at} on Company { ${make(at)} }`)}`,
  );

const bomb = (factor) => (level) => `...F${level + 1} `.repeat(factor);
const columns =
  'id etag number displayName type addressLine1 addressLine2 city state country postalCode phoneNumber email website balanceDue creditLimit taxLiable blocked lastModifiedDateTime';

/** Requests that must be rejected. */
export const attacks = {
  '10,000 aliases': selecting((n) => times(10_000, (at) => `a${n}_${at}: __typename`)),
  'one alias too many': selecting((n) => times(31, (at) => `a${n}_${at}: __typename`)),
  '10,000 times one field': selecting(() => times(10_000, () => 'id')),
  'one field as often as fits': selecting(() => times(1_950, () => 'id')),
  'one object as often as fits': selecting(() => times(470, () => 'items { totalCount }')),
  'one list as often as fits': selecting(() => times(270, () => 'items { nodes { id } }')),
  '300 overlapping fragments': spreading(300, () => 'id name'),
  'fragments of one object': spreading(25, () => times(16, () => 'items { totalCount }')),
  'fragments of unknown fields': spreading(180, (at) => `u${at}`),
  'a fragment cycle': spreading(40, (at) => `id ...F${(at + 1) % 40}`),
  '10,000 unknown directives': selecting((n) => `id ${times(10_000, (at) => `@d${n}_${at}`)}`),
  '50 unknown directives': selecting((n) => `id ${times(50, (at) => `@d${n}_${at}`)}`),
  '13 fields deep': selecting((n) => nested(6, `customer(id: "${n}") { company { `, '} }', 'id')),
  '1,000 fields deep': document((n) => `query Q${n} ${nested(1_000, '{ a ', '}')}`),
  '60,000 fields deep': document((n) => `query Q${n} ${nested(60_000, '{a', '}')}`),
  'a list literal 20,000 deep': selecting(() => `customer(id: ${nested(20_000, '[', ']')}) { id }`),
  'a list literal 900 deep': selecting(() => `customer(id: ${nested(900, '[', ']')}) { id }`),
  'a filter 400 deep': selecting(() => `items(filter: ${nested(400, '{not:', '}', '{}')}) { totalCount }`),
  'fragments 600 deep': selecting(() => nested(600, '... {', '}', 'id')),
  'variables 100,000 deep': (n, isStream) =>
    `{"query":"${asking(n, isStream, 'items(filter: $f) { totalCount }', '($f: ItemFilter)')}","variables":{"f":${nested(100_000, '[', ']')}}}`,
  '100,000 bad entries of a variable': (n, isStream) => ({
    query: asking(n, isStream, 'accounts(first: $n) { totalCount }', '($n: Int, $f: [Int])'),
    variables: { n, f: Array(100_000).fill('a') },
  }),
  'a million rows by a literal': selecting(
    () => 'items(first: 1000) { nodes { category { company { items(first: 1000) { nodes { id } } } } } }',
  ),
  'a million rows by a variable': (n, isStream) => ({
    query: asking(
      n,
      isStream,
      'items(first: $a) { nodes { category { company { items(first: $a) { nodes { id } } } } } }',
      '($a: Int)',
    ),
    variables: { a: 1000 },
  }),
  'circular introspection': document(
    (n, isStream) =>
      `${isStream ? 'subscription' : 'query'} Q${n} { __schema { types ${nested(5, '{ fields { type ', '} }', '{ name }')} } }`,
  ),
  introspection: document((n) => `query Q${n} { __schema { types { name fields { name } } } }`),
  'the schema as SDL': document((n) => `query Q${n} { _service { sdl } }`),
  '1,900 unknown fields': selecting((n) => times(1_900, (at) => `u${n}_${at}`)),
  '600 unknown arguments': selecting((n) => `items(${times(600, (at) => `u${n}_${at}: 1`)}) { totalCount }`),
  'a name of 50,000 characters': selecting((n) => `n${n}${'x'.repeat(50_000)}`),
  'a text of 250,000 characters': selecting((n) => `customer(id: "${n}${'x'.repeat(250_000)}") { id }`),
  'a number of 50,000 digits': selecting((n) => `items(first: 1${n}${'0'.repeat(50_000)}) { totalCount }`),
  '100,000 comments': document((n, isStream) => asking(n, isStream, 'id') + '#\n'.repeat(100_000)),
  'a text of 60,000 lines': selecting(() => `customer(id: """${' \n'.repeat(60_000)}""") { id }`),
  '390 operations': document((n) => times(390, (at) => `query Q${n}_${at} { __typename }`)),
  'half a document': document((n) => `query Q${n} { company {`),
  'no document': (n) => ({ variables: { n } }),
  'a batch of 500': (n, isStream) => Array(500).fill({ query: asking(n, isStream, 'id') }),
  'no JSON': (n) => `{"query": u${n}`,
  'a prototype': (n) => `{"query":"{ u${n} }","__proto__":{"isAdmin":true},"constructor":{"prototype":{}}}`,
  'an operation name of 100,000 characters': (n, isStream) => ({
    query: asking(n, isStream, 'id'),
    operationName: 'x'.repeat(100_000),
  }),
  'a body of 300,000 bytes': (n, isStream) => ({ query: asking(n, isStream, 'id') + ' '.repeat(300_000) }),
};

/** Valid documents of the maximum length that read next to nothing: they fill the caches. */
export const valid = {
  'a long query': document(
    (n) =>
      `query Q${n} { ${times(28, (at) => `a${at}: _entities(representations: []) { ...C ...I }`)} } fragment C on Customer { ${columns} company { id name } } fragment I on Item { id number displayName2 }`,
  ),
  'every token there is': document(
    (n) =>
      `query Q${n} { company @skip(if: true) { ${times(99, () => 'items { nodes { id number type } }')} } }`,
  ),
  'inputs of many fields': document(
    (n) =>
      `mutation Q${n}(${times(25, (at) => `$v${at}: CreateSalesOrderInput = {customerNumber: "1"}`)}) { ${times(
        25,
        (at) => `a${at}: createSalesOrder(input: $v${at}) @skip(if: true) { userErrors { code } }`,
      )} }`,
  ),
  'a fragment bomb': document(
    (n) =>
      `query Q${n} { company { ...F0 } } ${times(18, (level) => `fragment F${level} on Company { ${bomb(2)(level)} }`)} fragment F18 on Company { id }`,
  ),
  'comments and blanks': document((n) => `query Q${n} { company { id } } ${'#\n'.repeat(25_000)}`),
};

/** The same for transports of subscriptions: the operation does not exist. */
export const validStream = document(
  (n) =>
    `subscription Q${n} { operationProgress(id: "${n}") { ${times(100, () => '__typename state status name startTime error { code }')} } }`,
);
