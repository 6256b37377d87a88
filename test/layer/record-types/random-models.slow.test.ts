import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import fc from 'fast-check';
import {
  buildASTSchema,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isObjectType,
  parse,
  validateSchema,
} from 'graphql';
import { expect, onTestFinished, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { loadRecordTypes } from '../../../src/app/schema/record-types.ts';
import { clientSdl, subgraphSdl } from '../../../src/app/schema/sdl.ts';
import type { RecordFile } from '../../../src/business/record-files/record-file.ts';
import { addRecordFiles } from '../../../src/business/record-files/record-type-list.ts';
import { type CsdlModel, csdlModels } from '../../support/cases/csdl-models.ts';
import { rulesOfRecordTypes } from '../../support/cases/graph-rules.ts';
import { draftAll, renameAll } from '../../support/cases/metadata.ts';
import { environment } from '../../support/environment.ts';
import { startTestLayer, type TestLayer } from '../../support/layer.ts';
import { startSingleRecordUpstream } from '../../support/upstreams/single-record-upstream.ts';

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

/** The record files of the models, with names of their own. Those that are refused for a name of the same model are left out. */
const draftModels = (all: readonly CsdlModel[]): readonly RecordFile[] =>
  all.flatMap(({ csdl, entitySets }, at) => {
    let files = renameAll(draftAll(csdl, entitySets, { route: `contoso/m${at}/v1.0` }), `m${at}`);
    for (;;) {
      const texts = files.map((file) => ({ file: file.entitySet, text: JSON.stringify(file) }));
      const added = addRecordFiles(productRecordTypes(), texts, () => new Set());
      if (!('mistakes' in added)) return files;
      const refused = new Set(added.mistakes.map(({ file }) => file));
      files = files.filter(({ entitySet }) => !refused.has(entitySet));
    }
  });

/** A folder with the files, as `RECORD_TYPES` names it. */
function writeAll(files: readonly RecordFile[]): { readonly folder: string; readonly paths: string } {
  const folder = mkdtempSync(join(tmpdir(), 'random-models-'));
  for (const [at, file] of files.entries())
    writeFileSync(join(folder, `${file.route.split('/')[1]}-${at}.json`), JSON.stringify(file));
  return { folder, paths: join(folder, '*.json') };
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

const compositions = {
  '@theguild/federation-composition': composeServices,
  '@apollo/composition': composeByApollo,
};

/** That a router can be given the subgraph, and then has every type. */
function expectComposed(sdl: string, files: readonly RecordFile[]): void {
  for (const [name, compose] of Object.entries(compositions)) {
    const { errors, supergraphSdl = '' } = compose([
      { name: 'tributary', typeDefs: parse(sdl), url: 'http://tributary.test/graphql' },
    ]);
    expect(errors ?? [], name).toEqual([]);
    const api = buildASTSchema(transformSupergraphToPublicSchema(parse(supergraphSdl)));
    expect(files.filter(({ type }) => !api.getType(type))).toEqual([]);
  }
}

/** That every list answers `__typename` and a value for each column, and its record by `nodeId`. */
async function expectAnswers(
  { query }: TestLayer,
  schema: GraphQLSchema,
  files: readonly RecordFile[],
): Promise<void> {
  for (const some of chunksOf(files, 10)) {
    const lists = some.map(
      ({ type, names }) =>
        `${names.many}(first: 1) { nodes { __typename ${leavesOf(schema, type).join(' ')} } }`,
    );
    const { data, errors } = await query(`{ company { name ${lists.join('\n')} } }`);
    expect(errors).toBeUndefined();
    const records = some.map(({ names }) => data.company[names.many].nodes[0]);
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
    const files = draftModels(own);
    expect(files.length).toBeGreaterThan(own.length);
    const { folder, paths } = writeAll(files);
    onTestFinished(() => rmSync(folder, { recursive: true }));

    // As the start does it: throws with every mistake of the files and of the schema.
    const list = loadRecordTypes({ RECORD_TYPES: [paths] });
    const sdl = subgraphSdl(list);
    const schema = buildASTSchema(parse(clientSdl(list)));
    expect(validateSchema(schema)).toEqual([]);
    for (const { type } of files) expect(leavesOf(schema, type), type).toContain('nodeId');
    for (const [rule, findFaults] of Object.entries(rulesOfRecordTypes))
      expect(findFaults(schema), rule).toEqual([]);
    expectComposed(sdl, files);

    const upstream = await startSingleRecordUpstream(files);
    onTestFinished(() => upstream.stop());
    const layer = await startTestLayer(upstream.url, { RECORD_TYPES: paths });
    onTestFinished(() => layer.stop());
    expect((await layer.query('{ _service { sdl } }')).data._service.sdl).toBe(sdl);
    await expectAnswers(layer, schema, files);
  },
  180_000,
);
