import { type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { test as base, expect } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { everyField } from '../../support/cases/every-field.ts';
import { fixture } from '../../support/fixture.ts';
import { type Answer, startTestLayer } from '../../support/layer.ts';
import { actionInput, place, stop } from '../../support/operations.ts';
import { type StubAnswer, startStub } from '../../support/stub.ts';

/** A layer before an upstream that answers everything in the same way. */
const test = base.extend(
  'scene',
  { scope: 'file' },
  fixture(async ({ onCleanup }) => {
    const scene = { answer: (_target: string): StubAnswer => ({}) };
    const stub = await startStub(({ target }) => scene.answer(target));
    const layer = await startTestLayer(stub.url, {
      MAX_COST: '1000000',
      MAX_DEPTH: '30',
      MAX_TOKENS: '20000',
    });
    onCleanup(async () => {
      await layer.stop();
      stub.stop();
    });
    return Object.assign(scene, { layer, host: new URL(stub.url).host });
  }),
);

const schema = createSchema();
const typeOf = (name: string) => schema.getType(name) as GraphQLObjectType;
const connections = Object.keys(schema.getTypeMap()).filter((name) => name.endsWith('Connection'));
const shallow = (name: string, ...above: string[]) =>
  everyField(typeOf(name), ['Company', ...connections, ...above]);
const instance = Object.entries({ ...place, applicationInstanceName: 'app01' })
  .map(([name, value]) => `${name}: "${value}"`)
  .join(' ');

/** Everything that is read of each area. */
const queries = {
  customers: `{ company { customers { totalCount nodes ${shallow('Customer')} edges { cursor } } } }`,
  orders: `{ company { salesOrders { nodes ${shallow('SalesOrder', 'Customer', 'Item')} } } }`,
  items: `{ company { items { nodes ${shallow('Item')} } } }`,
  companies: `{ companies { nodes { id name timestamp systemCreatedAt } } }`,
  instance: `{ applicationInstance(${instance}) ${shallow('ApplicationInstance')} }`,
  event: `{ healthEvent(trackingId: "SI_1") ${shallow('HealthEvent')} }`,
  events: `{ healthEvents { totalCount nodes ${shallow('HealthEvent')} edges { cursor } } }`,
};
const said = 'what-the-upstream-said';
const ours = {
  upstream: expect.stringMatching(/^(business|instances|health)$/),
  requestId: expect.any(String),
};

const prototypes = [Object, Array, String, Number, Function, Promise, Map].map(
  ({ prototype }) => prototype as object,
);
const shapeOf = () => prototypes.map((prototype) => Reflect.ownKeys(prototype).map(String).sort());
const shape = shapeOf();

/** What it says to a caller is its own: no stack, no place, no host, no word of the upstream's or of a library's. */
function expectOwnWords({ status, errors = [] }: Answer): void {
  expect(status).toBe(200);
  for (const { message, locations, path, extensions, ...rest } of errors) {
    expect(rest).toEqual({});
    expect([locations, path]).not.toContain(undefined);
    const { upstreamError: _theirs, retryAfterSeconds: _seconds, code, ...own } = extensions;
    expect(own).toEqual(ours);
    expect(code).toMatch(/^(UPSTREAM_[A-Z_]+|UNAUTHENTICATED|FORBIDDEN)$/);
    expect(message).toMatch(/^[A-Z][A-Za-z0-9 ,.:;`'<>()_-]+\.$/);
    expect(message).not.toMatch(
      /\bat [\w.]+ \(|node:|undici|https?:|\/api|localhost|127\.0\.0\.1|token [^.]* in JSON|Error/,
    );
    expect(message).not.toContain(said);
  }
  expect(shapeOf()).toEqual(shape);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
}

const deep = (open: string, close: string) => open.repeat(10_000) + close.repeat(10_000);

/** JSON that is right, and means nothing that anybody expects. */
const values = {
  'a number beyond all doubles': '1e400',
  'a number below all': '-1e400',
  'a number of next to nothing': '1e-400',
  'a number of many digits': '123456789012345678901234567890.123456789',
  'half a surrogate pair': '"\\ud800"',
  'the other half': '"x\\udc00"',
  'a NUL': '"\\u0000"',
  'a prototype': '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
  'a name of a prototype': '"__proto__"',
  'the name of a method': '"constructor"',
  'a list ten thousand deep': deep('[', ']'),
  'an object ten thousand deep': deep('{"value":', '}').replace('{"value":}', '{}'),
  'rows ten thousand deep': deep('[{"a":', '}]').replace('[{"a":}]', '[]'),
  'names that stand twice':
    '{"id":1,"id":{"id":2},"value":[1],"value":[{"id":3}],"toString":4,"valueOf":5,"then":6}',
  null: 'null',
  true: 'true',
  'an empty list': '[]',
  'a list of nulls': '[null,null]',
  'a list of lists': '[[[]]]',
  'an empty object': '{}',
  'an empty text': '""',
  'a long text': JSON.stringify(said.repeat(1_000)),
  'minus zero': '-0',
  'a text that looks like a number': '"1e400"',
} as const;

/** What is looked into, or passed on as it is: enough for values that are long. */
const looked =
  'id name tags properties error details value parameters article links impact displayText eventTags';

/** Every name that a type or one below it has in the graph, as a property of that value. */
function rowOf(name: string, value: string, depth = 0): string {
  const fields = Object.values(typeOf(name).getFields());
  const pairs = fields.map(({ name: field, type }) => {
    const below = getNamedType(type);
    const isRow =
      isObjectType(below) && depth < 2 && !below.name.endsWith('Connection') && below.name !== 'Company';
    const row = isRow ? `[${rowOf(below.name, value, depth + 1)}]` : value;
    return `${JSON.stringify(field)}:${row}`;
  });
  return `{${[...pairs, `"__proto__":${value}`, `"salesOrderLines":[${value}]`].join(',')}}`;
}

test.for(Object.keys(values) as (keyof typeof values)[])(
  "where every value that an upstream returns is %s, errors use Tributary's own wording, and no global state changes",
  async (which, { scene }) => {
    const value = values[which];
    const id = '"00000000-0000-4000-8000-000000000001"';
    const names: Record<string, string> = {
      customers: 'Customer',
      orders: 'SalesOrder',
      items: 'Item',
      companies: 'Company',
    };
    for (const [name, query] of Object.entries(queries)) {
      const all = rowOf(names[name] ?? (name === 'instance' ? 'ApplicationInstance' : 'HealthEvent'), value);
      const some = looked.split(' ').map((each, at) => `"${each}":${at % 2 ? value : `[${value}]`}`);
      const row = value.length > 1_000 ? `{${some}}` : all;
      for (const body of [
        value,
        row,
        `{"value":[${row}],"@odata.count":${value},"@odata.nextLink":${value},"nextLink":${value}}`,
        `{"value":[{"@odata.etag":${value},${row.slice(1).replace(/"id":/, `"id":${id},"other":`)}]}`,
        `{"id":${id},"name":"SI_1","properties":${row}}`,
        `{"value":[{"name":"SI_1","properties":${row}}]}`,
      ]) {
        scene.answer = () => ({ body });
        expectOwnWords(await scene.layer.query(query));
      }
    }
  },
);

const bodies = {
  nothing: '',
  'a page': `<html><body><h1>502</h1>${said}</body></html>`,
  'half of an object': `{"value":[{"id":"${said}`,
  'a text without quotes': said,
  'several values': '{} {}',
  'a mark of byte order': `\ufeff{"${said}":1}`,
  'numbers that are none': `{"value":[NaN,Infinity,0x1,${said}]}`,
  'a refusal with a stack': JSON.stringify({
    error: {
      code: 'Oops',
      message: 'A sentence of the upstream.',
      stack: `at ${said} (/srv/app.js:1:2)`,
      innererror: { trace: said },
    },
  }),
  'a refusal of lists': `{"error":[["${said}"]],"message":{"a":"${said}"}}`,
};
const brief = [
  '{ companies { nodes { name } } }',
  '{ company { customers { nodes { city } } } }',
  `{ applicationInstance(${instance}) { status } }`,
  '{ healthEvent(trackingId: "SI_1") { title } healthEvents { totalCount } }',
];
const statuses = [200, 202, 204, 206, 300, 304, 400, 401, 403, 404, 409, 429, 451, 500, 503, 504, 599];

test.for(Object.keys(bodies) as (keyof typeof bodies)[])(
  "whatever the status of %s is, errors use Tributary's own wording",
  async (which, { scene }) => {
    const headers = { 'retry-after': 'never', 'content-type': 'text/html', etag: '"\u00ff', location: '::' };
    for (const status of statuses) {
      const hasBody = status !== 204 && status !== 304;
      scene.answer = () => ({ status, headers, ...(hasBody && { body: bodies[which] }) });
      for (const query of brief) expectOwnWords(await scene.layer.query(query));
      const input = actionInput({ ...place, applicationInstanceName: 'app01' });
      const answer = await scene.layer.query(stop, { input });
      expectOwnWords(answer);
      for (const { message } of answer.data.stopApplicationInstance?.userErrors ?? [])
        expect(message).not.toContain(said);
    }
  },
);
