import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeServices, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import fc from 'fast-check';
import {
  buildASTSchema,
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  parse,
  print,
  validateSchema,
  visit,
} from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { productRecordTypes } from '../../src/app/schema/product-record-types.ts';
import { loadRecordTypes } from '../../src/app/schema/record-types.ts';
import { createSchema } from '../../src/app/schema/schema.ts';
import { clientSdl, subgraphSdl } from '../../src/app/schema/sdl.ts';
import { columnsOf, namesOf } from '../../src/business/declarations/declarations.ts';
import type { DeclarationText } from '../../src/business/declarations/read-files.ts';
import { readDeclarations } from '../../src/business/declarations/record-types.ts';
import type { RecordTypeDescriptor } from '../../src/business/records/record-type.ts';
import { type CsdlModel, csdlModels } from '../support/cases/csdl-models.ts';
import { rulesOfRecordTypes } from '../support/cases/graph-rules.ts';
import { declarationsOf, draftAll, recordOf, renameAll } from '../support/cases/metadata.ts';
import { environment } from '../support/environment.ts';
import { startTestLayer, type TestLayer } from '../support/layer.ts';
import { startSingleRecordUpstream } from '../support/upstreams/single-record-upstream.ts';

/*
 * `RANDOM_MODELS=2000` makes graphs of as many models, `RANDOM_SEED` repeats those of an earlier run, whose seed is in the
 * titles. A graph of the product has 1,500 types and takes seconds to build and to compose. So the models of a graph are
 * added to it together, each as another API of the upstream, with a prefix before its names.
 */
const { RANDOM_MODELS, RANDOM_SEED } = environment();
const count = Number(RANDOM_MODELS ?? 100);
const seed = Number(RANDOM_SEED ?? Date.now() % 2 ** 31);
/** Some 400 files: `RECORD_TYPES` takes 500. */
const modelsOfGraph = 100;

const models = fc.sample(csdlModels, { numRuns: count, seed });

const directive = (text: string) => {
  const [node] = parse(`type Any ${text}`).definitions;
  return (node && 'directives' in node ? node.directives : []) as readonly ConstDirectiveNode[];
};

/** The field as one that creates and updates take. */
function withWrites(field: FieldDefinitionNode): FieldDefinitionNode {
  const [write] = directive('@column(write: [CREATE, UPDATE])');
  const [column = write] = field.directives ?? [];
  const given = column === write ? [] : (column?.arguments ?? []);
  return column
    ? { ...field, directives: [{ ...column, arguments: [...given, ...(write?.arguments ?? [])] }] }
    : field;
}

/** The draft with all that a person can add to it: writes, watching, a file, and a list of the records at each item. */
function enrich({ file, text }: DeclarationText): DeclarationText {
  const record = recordOf(text);
  const columns = columnsOf(record).filter(({ type }) => type !== 'JSON');
  const isWritable = (field: FieldDefinitionNode) => columns.some(({ name }) => name === field.name.value);
  const isWatched = columns.some(({ name, type }) => name === 'lastModifiedDateTime' && type === 'DateTime');
  const given = [
    ...(columns.length > 0 ? ['write: [CREATE, UPDATE, DELETE]'] : []),
    ...(isWatched ? ['watch: true'] : []),
  ];
  const more = given.length > 0 ? directive(`@record(${given.join(', ')})`)[0]?.arguments : [];
  const document = visit(parse(text), {
    Directive: (node) =>
      node.name.value === 'record'
        ? { ...node, arguments: [...(node.arguments ?? []), ...(more ?? [])] }
        : undefined,
    ObjectTypeDefinition: (node) =>
      node.name.value === record.name
        ? { ...node, fields: node.fields?.map((field) => (isWritable(field) ? withWrites(field) : field)) }
        : undefined,
  });
  const list = namesOf(record).many;
  return {
    file,
    text: `${print(document).replace(/^type (\w+) @record\(.*\{$/m, '$&\n  "Its paper."\n  itsPaper: File @file(path: "paper")')}
extend type Item {
  "Those of the item."
  ${list}: [${record.name}!] @list(by: "id")
}`,
  };
}

/** The declarations of the models, with names of their own. Those that are refused for a name of the same model are left out. */
const draftModels = (all: readonly CsdlModel[]): readonly DeclarationText[] =>
  all.flatMap(({ csdl, entitySets }, at) => {
    let texts = renameAll(draftAll(csdl, entitySets, { route: `contoso/m${at}/v1.0` }), `m${at}`)
      .map(enrich)
      .map(({ file, text }) => ({ file: `m${at}-${file}`, text }));
    for (;;) {
      const added = readDeclarations(productRecordTypes(), texts, createSchema());
      if (!('mistakes' in added)) return texts;
      const refused = new Set(added.mistakes.map(({ file }) => file));
      texts = texts.filter(({ file }) => !refused.has(file));
    }
  });

/** A folder with the files, as `RECORD_TYPES` names it. */
function writeAll(texts: readonly DeclarationText[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'random-models-'));
  for (const { file, text } of texts) writeFileSync(join(folder, file), text);
  return folder;
}

const chunksOf = <T>(all: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size));

const graphs = chunksOf(models, modelsOfGraph).map(
  (own, at) => [`graph ${at + 1} of seed ${seed}`, own] as const,
);

/** All that a record of the type has of its own. */
function leavesOf(schema: GraphQLSchema, name: string): readonly string[] {
  const type = schema.getType(name);
  return isObjectType(type)
    ? Object.values(type.getFields()).flatMap((field) =>
        isLeafType(getNamedType(field.type)) ? [field.name] : [],
      )
    : [];
}

/** That a router can be given the subgraph, and then has every type. */
function expectComposed(sdl: string, types: readonly string[]): void {
  const { errors, supergraphSdl = '' } = composeServices([
    { name: 'tributary', typeDefs: parse(sdl), url: 'http://tributary.test/graphql' },
  ]);
  expect(errors ?? []).toEqual([]);
  const api = buildASTSchema(transformSupergraphToPublicSchema(parse(supergraphSdl)));
  expect(types.filter((type) => !api.getType(type))).toEqual([]);
}

/** That every list answers `__typename` and a value for each column, and its record by `nodeId`. */
async function expectAnswers(
  { query }: TestLayer,
  schema: GraphQLSchema,
  recordTypes: readonly RecordTypeDescriptor[],
): Promise<void> {
  for (const some of chunksOf(recordTypes, 10)) {
    const lists = some.map(
      ({ type, names }) =>
        `${names?.many}(first: 1) { nodes { __typename ${leavesOf(schema, type).join(' ')} } }`,
    );
    const { data, errors } = await query(`{ company { name ${lists.join('\n')} } }`);
    expect(errors).toBeUndefined();
    const records = some.map(({ names }) => data.company[names?.many ?? ''].nodes[0]);
    expect(records.map(({ __typename }) => __typename)).toEqual(some.map(({ type }) => type));
    for (const record of records)
      expect(Object.keys(record).filter((field) => record[field] === null)).toEqual([]);

    const nodes = records.map(({ __typename, nodeId }) => ({ __typename, nodeId }));
    const byId = await query('query ($ids: [ID!]!) { nodes(nodeIds: $ids) { __typename nodeId } }', {
      ids: nodes.map(({ nodeId }) => nodeId),
    });
    expect(byId.errors).toBeUndefined();
    expect(byId.data.nodes).toEqual(nodes);
  }
}

test.each(graphs)(
  'the random models of %s build, print, compose and answer `__typename`',
  async (_title, own) => {
    const texts = draftModels(own);
    expect(texts.length).toBeGreaterThan(own.length);
    const folder = writeAll(texts);
    onTestFinished(() => rmSync(folder, { recursive: true }));

    // As the start does it: throws with every mistake of the files and of the schema.
    const list = loadRecordTypes({ RECORD_TYPES: [folder] });
    const declared = declarationsOf(...texts.map(({ text }) => text)).types;
    const recordTypes = list.recordTypes.filter(({ type }) => declared.has(type));
    expect(recordTypes).toHaveLength(texts.length);
    const sdl = subgraphSdl(list);
    const schema = buildASTSchema(parse(clientSdl(list)));
    expect(validateSchema(schema)).toEqual([]);
    for (const { type } of recordTypes) expect(leavesOf(schema, type), type).toContain('nodeId');
    for (const [rule, findFaults] of Object.entries(rulesOfRecordTypes))
      expect(findFaults(schema), rule).toEqual([]);
    expectComposed(sdl, [...declared.keys()]);

    const upstream = await startSingleRecordUpstream(recordTypes);
    onTestFinished(() => upstream.stop());
    const layer = await startTestLayer(upstream.url, { RECORD_TYPES: folder });
    onTestFinished(() => layer.stop());
    expect((await layer.query('{ _service { sdl } }')).data._service.sdl).toBe(sdl);
    await expectAnswers(layer, schema, recordTypes);
  },
  180_000,
);
