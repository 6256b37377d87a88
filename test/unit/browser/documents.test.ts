import { buildSchema, parse, validate } from 'graphql';
import { expect, test } from 'vitest';
import * as documents from '../../../browser/console/documents.js';
import { clientSdl } from '../../../src/app/schema/sdl.ts';

const schema = buildSchema(clientSdl());
const texts = (value: unknown): string[] =>
  typeof value === 'string' ? [value] : Object.values(value as object).flatMap(texts);
const all = texts({ ...documents });

test('every document of the console is valid in the graph', () => {
  expect(all.length).toBeGreaterThan(15);
  for (const text of all) expect(validate(schema, parse(text)), text).toEqual([]);
});
