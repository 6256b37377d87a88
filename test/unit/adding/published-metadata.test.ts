import { buildASTSchema, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { type RecordFile, recordFile } from '../../../src/business/record-files/record-file.ts';
import {
  draftAll,
  draftOf,
  entitySetsOf,
  entitySetsOfGraph,
  publishedMetadata,
} from '../../support/cases/metadata.ts';

/** Only the names: enough for GraphQL to refuse what it cannot say, and what has one name twice. */
function namesAsSdl(files: readonly RecordFile[]): string {
  const fieldsOf = (fields: RecordFile['fields'], others: readonly (readonly [string, string])[]): string =>
    [
      ...Object.keys(fields).map((name) => `${name}: String`),
      ...others.map(([name, type]) => `${name}: ${type}`),
    ].join(' ');
  const related = (relations: RecordFile['relations'] = {}) =>
    Object.entries(relations).map(([name, { type }]) => [name, type] as const);
  const types = files.flatMap(({ type, fields, relations, rows = {}, files: ownFiles = {} }) => [
    `type ${type} { companyId: ID id: ID etag: String ${fieldsOf(fields, [
      ...related(relations),
      ...Object.entries(rows).map(([name, row]) => [name, `[${row.type}]`] as const),
      ...Object.keys(ownFiles).map((name) => [name, 'String'] as const),
    ])} }`,
    ...Object.values(rows).map(
      (row) => `type ${row.type} { ${fieldsOf(row.fields, related(row.relations))} }`,
    ),
  ]);
  const company = files.flatMap(({ type, names }) => [`${names.one}: ${type}`, `${names.many}: [${type}]`]);
  return [`type Query { ${company.join(' ')} }`, ...types].join('\n');
}

describe('the published metadata of Business Central', () => {
  const csdl = publishedMetadata();
  const sets = entitySetsOf(csdl);
  const draft = () => draftAll(csdl, sets);
  const files = draft();

  test('makes a record file of the format for every entity set', () => {
    expect(files.map(({ entitySet }) => entitySet)).toEqual(sets);
    expect(sets).toHaveLength(77);
    for (const file of files) expect(recordFile.safeParse(file).error, file.entitySet).toBeUndefined();
  });

  test('makes types whose names GraphQL can say, and no name twice', () => {
    const graph = draftAll(csdl, entitySetsOfGraph(csdl));
    const schema = buildASTSchema(parse(namesAsSdl(graph)));

    for (const { type } of graph) expect(schema.getType(type)).toBeDefined();
  });

  test('makes the same files a second time', () => {
    expect(JSON.stringify(draft())).toBe(JSON.stringify(files));
  });

  test('leads to types and fields that are there', () => {
    const types = new Map(files.map((file) => [file.type, file]));
    for (const { type, fields, relations = {}, rows = {} } of files) {
      for (const relation of [relations, ...Object.values(rows).map((row) => row.relations ?? {})].flatMap(
        (each) => Object.values(each),
      ))
        expect(types.has(relation.type), `${type} leads to ${relation.type}`).toBe(true);
      for (const { idField = 'id' } of Object.values(relations))
        expect(idField === 'id' || fields[idField], `${type}.${idField}`).toBeTruthy();
    }
  });

  test('makes the file of one entity set alone, without the relations to the others', () => {
    const [first = ''] = sets;
    const alone = draftOf(csdl, first).file;

    expect(recordFile.safeParse(alone).success).toBe(true);
    expect(Object.keys(alone.fields)).toEqual(Object.keys(files[0]?.fields ?? {}));
  });
});
