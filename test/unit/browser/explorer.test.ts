import { getIntrospectionQuery, graphqlSync, type IntrospectionQuery, parse, print } from 'graphql';
import { expect, test } from 'vitest';
import { createCurl, readVariables } from '../../../browser/explorer/documents.js';
import { formatDocument } from '../../../browser/explorer/format.js';
import { hideFederation } from '../../../browser/explorer/schema.js';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { createExamples } from '../../../src/server/pages/examples.ts';

test('a document is formatted with its comments, and once formatted stays as it is', () => {
  const text = '# top\nquery { a(text: """\n# no comment\n""", first: 1) { b # one\n } } # end\n';
  for (const query of [
    text,
    ...createExamples({ companyId: null, customerId: null, itemId: null }).map((one) => one.query),
  ]) {
    const formatted = formatDocument(query);
    expect(formatDocument(formatted)).toBe(formatted);
    expect(print(parse(formatted))).toBe(print(parse(query)));
    expect(formatted.match(/#/g)?.length).toBe(query.match(/#/g)?.length);
  }
  expect(() => formatDocument('{ a')).toThrow('Syntax Error');
});

test('variables are an object, and none where there is no text', () => {
  expect(readVariables(' ')).toEqual({});
  expect(readVariables('{"a":1}')).toEqual({ a: 1 });
  expect(() => readVariables('null')).toThrow('must be a JSON object');
  expect(() => readVariables('{')).toThrow('are not JSON');
  expect(readVariables('{"a":-1.5e3,"b":"12345678901234567890 \\" 1e400"}').a).toBe(-1500);
  for (const number of ['1e400', '12345678901234567890'])
    expect(() => readVariables(`{"a":[${number}]}`)).toThrow(`The number ${number} of the variables`);
});

const schema = createSchema();

test('what federation adds is left out of the schema, and nothing else', () => {
  const { data } = graphqlSync({ schema, source: getIntrospectionQuery() });
  const introspection = data as unknown as IntrospectionQuery;
  const hidden = hideFederation(introspection);

  const namesOf = ({ __schema: { types } }: IntrospectionQuery) => types.map(({ name }) => name);
  expect(
    namesOf(introspection)
      .filter((name) => !namesOf(hidden).includes(name))
      .sort(),
  ).toEqual(['_Any', '_Entity', '_Service'].filter((name) => namesOf(introspection).includes(name)));
  expect(JSON.stringify(hidden)).not.toMatch(/"_(entities|service|Any|Entity|Service)"|"(federation|link)__/);
});

test('a curl command has no token and no value of a header, and no text of it is read by the shell', () => {
  const request = { query: '{ a(b: "it\'s $HOME") }', operationName: null, variables: {} };

  expect(createCurl('http://host/graphql', request, [], false)).toBe(
    [
      `curl 'http://host/graphql' \\`,
      `  -H 'content-type: application/json' \\`,
      `  -H "authorization: Bearer $TOKEN" \\`,
      `  -d '{"query":"{ a(b: \\"it'\\''s $HOME\\") }","operationName":null,"variables":{}}'`,
    ].join('\n'),
  );
  const streamed = createCurl('http://host/graphql', request, ['authorization', 'x-`id`'], true);
  expect(streamed).toContain(`curl -N 'http://host/graphql'`);
  expect(streamed).toContain(`-H 'accept: text/event-stream'`);
  expect(streamed).toContain(`-H 'authorization: '"$AUTHORIZATION"`);
  expect(streamed).toContain(`-H 'x-\`id\`: '"$X__ID_"`);
  expect(streamed).not.toContain('$TOKEN');
});
