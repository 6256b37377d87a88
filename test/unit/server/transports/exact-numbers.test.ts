import fc from 'fast-check';
import { type FastifyRequest, fastify } from 'fastify';
import { isSafeNumber, parse } from 'lossless-json';
import { describe, expect, test } from 'vitest';
import { quoteLongNumbers } from '../../../../src/runtime/json.ts';
import { preserveDigitsInBodies, readPayload } from '../../../../src/server/transports/http-request.ts';

const long = '12345678901234567890';
const limit = 256 * 1024;

/** Parses with a parser that keeps digits; duplicate names as in `JSON.parse`. */
const exactly = (text: string) =>
  parse(text, null, {
    parseNumber: (digits) => (isSafeNumber(digits) ? Number(digits) : digits),
    onDuplicateKey: ({ newValue }) => newValue,
  });

const app = fastify({ bodyLimit: limit });
const bodies: unknown[] = [];
preserveDigitsInBodies(app);
app.post('/', async (request) => {
  bodies.push(request.body);
  return '';
});
const post = (payload: string) =>
  app.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/json' }, payload });

const space = fc.stringMatching(/^[ \t\n\r]{0,2}$/);
const aNumber = fc.oneof(
  fc.stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,30})?([eE][+-]?\d{1,4})?$/),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom('-0', '9007199254740991', '9007199254740992', '1e22', '1e400', '5e-324', '1e-400', long),
);
/** Texts with parts that look like numbers and like the ends of strings. */
const aString = fc
  .array(
    fc.oneof(aNumber, fc.string(), fc.constantFrom(',', ':', '[', ']', '}', '"', '\\', ' ', `,${long},`)),
  )
  .map((pieces) => JSON.stringify(pieces.join('')));
const { value: json } = fc.letrec<{ value: string }>((tie) => ({
  value: fc
    .tuple(
      space,
      fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        fc.oneof(aNumber, aString, fc.constantFrom('true', 'null')),
        fc.array(tie('value')).map((entries) => `[${entries}]`),
        fc
          .array(fc.tuple(space, aString, space, tie('value')))
          .map((members) => `{${members.map(([a, name, b, value]) => `${a}${name}${b}:${value}`)}}`),
      ),
      space,
    )
    .map((parts) => parts.join('')),
}));

describe('JSON with its long numbers quoted', () => {
  test('is parsed by JSON.parse as the original is by a parser that keeps digits', () => {
    fc.assert(
      fc.property(json, (text) => {
        expect(JSON.parse(quoteLongNumbers(text))).toEqual(exactly(text));
      }),
      { numRuns: 50 },
    );
  });
});

describe('a body', () => {
  test.each([
    [`{"a":${long}}`, { a: long }],
    [`{"a":"\\",${long},","b":[ -${long}\n]}`, { a: `",${long},`, b: [`-${long}`] }],
    [`{"a":"\\\\","b":${long}}`, { a: '\\', b: long }],
    ['{"a":1e400,"b":1e-400,"c":1e3}', { a: '1e400', b: '1e-400', c: 1000 }],
    ['{"a":9007199254740991,"b":9007199254740992}', { a: 9_007_199_254_740_991, b: '9007199254740992' }],
    [`\ufeff{"a":${long}}`, { a: long }],
  ])('with %s keeps every digit', async (text, body) => {
    expect((await post(text)).statusCode).toBe(200);
    expect(bodies.at(-1)).toEqual(body);
  });

  test.each([
    ['no byte', '', 400],
    ['a number that is none', `{"a":0${long}}`, 400],
    ['too many bytes', `{"a":${long},"b":"${' '.repeat(limit)}"}`, 413],
  ])('of %s is rejected', async (_what, text, status) => {
    expect((await post(text)).statusCode).toBe(status);
  });

  test.each([
    ['__proto__ in other letters', `{"a":${long},"\\u005f_proto__":{"a":1}}`],
    ['__proto__ far down', `{"a":[${long},{"b":{"__proto__":null}}]}`],
    ['constructor', '{"constructor":{"prototype":{"a":1}}}'],
  ])('of %s is rejected with what it has', async (_what, text) => {
    const response = await post(text);

    expect(response.statusCode).toBe(400);
    expect(response.json().message).toMatch(
      /^The request body has the property `__proto__`, or `constructor`/,
    );
    expect('a' in {}).toBe(false);
  });
});

describe('the variables of a GET', () => {
  const readVariables = (variables: unknown) =>
    readPayload({ method: 'GET', query: { query: '{ a }', variables } } as FastifyRequest)?.variables;

  test('keep the digits of their numbers', () => {
    expect(readVariables(`{"a": ${long}, "b": "ä & +", "c": 1}`)).toEqual({ a: long, b: 'ä & +', c: 1 });
  });

  test.each([[`[${long}`], [[`[${long}]`, '{}']]])('such as %s stay no JSON', (given) => {
    expect(readVariables(given)).toBe(String(given));
  });
});
