import { type FastifyRequest, fastify } from 'fastify';
import { describe, expect, test } from 'vitest';
import { preserveDigitsInBodies, readPayload } from '../../../../src/server/transports/http-request.ts';

const long = '12345678901234567890';
const limit = 256 * 1024;

const app = fastify({ bodyLimit: limit });
const bodies: unknown[] = [];
preserveDigitsInBodies(app);
app.post('/', async (request) => {
  bodies.push(request.body);
  return '';
});
const post = (payload: string) =>
  app.inject({ method: 'POST', url: '/', headers: { 'content-type': 'application/json' }, payload });

describe('a body', () => {
  test.each([
    [`{"a":${long}}`, { a: long }],
    [`{"a":"\\",${long},","b":[ -${long}\n]}`, { a: `",${long},`, b: [`-${long}`] }],
    [`{"a":"\\\\","b":${long}}`, { a: '\\', b: long }],
    [`{"${long}":"-0", "b" : -0.${long}e1 , "c":[-0]}`, { [long]: '-0', b: `-0.${long}e1`, c: [-0] }],
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
