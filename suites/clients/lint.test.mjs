import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { before, test } from 'node:test';
import plugin from '@graphql-eslint/eslint-plugin';
import { Linter } from 'eslint';
import { readSdl } from './server.mjs';

const exceptions = JSON.parse(readFileSync(new URL('exceptions.json', import.meta.url), 'utf8'));
const nameOf = (rule) => `@graphql-eslint/${rule}`;
const rules = {
  ...plugin.configs['flat/schema-recommended'].rules,
  ...plugin.configs['flat/schema-relay'].rules,
};
const format = ({ ruleId, line, message }) => `${line}: ${message} (${ruleId})`;

let sdl;

before(async () => {
  sdl = await readSdl();
});

function lint(changed) {
  const config = {
    files: ['**/*.graphql'],
    plugins: { '@graphql-eslint': plugin },
    languageOptions: { parser: plugin.parser, parserOptions: { graphQLConfig: { schema: sdl } } },
    rules: { ...rules, ...changed },
  };
  return new Linter().verify(sdl, [config], 'schema.graphql');
}

test('the schema keeps the recommended rules and those of Relay, with the listed exceptions', () => {
  const configured = exceptions.filter(({ options }) => options);
  const changed = configured.map(({ rule, options }) => [
    nameOf(rule),
    options === 'off' ? 'off' : ['error', options],
  ]);
  const known = new Set(exceptions.flatMap(({ messages = [] }) => messages));
  const messages = lint(Object.fromEntries(changed));
  const unlisted = messages.filter(({ message }) => !known.has(message));
  assert.deepEqual(unlisted.map(format), []);
  const given = new Set(messages.map(({ message }) => message));
  assert.deepEqual(
    [...known].filter((message) => !given.has(message)),
    [],
  );
});

test('the schema violates every rule that has an exception', () => {
  const violated = new Set(lint({}).map(({ ruleId }) => ruleId));
  assert.deepEqual(
    exceptions.filter(({ rule }) => !violated.has(nameOf(rule))),
    [],
  );
});
