import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { buildASTSchema, parse, validateSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { clientSdl, readDefinitions, subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { listNames } from '../../../src/business/record-files/file-rules.ts';
import { addRecordFiles } from '../../../src/business/record-files/record-type-list.ts';
import { findClosedEnums, rulesOfRecordTypes } from '../../support/cases/graph-rules.ts';
import { draftAll, entitySetsOfGraph, publishedMetadata, renameAll } from '../../support/cases/metadata.ts';

const product = productRecordTypes();
const names = new Set(listNames(readDefinitions(product)));
const productEnums = new Set(Object.keys(createSchema().getTypeMap()));

/** A graph with all entity sets of Business Central beside the types of the product, as files that `tributary add` makes. */
function publishedGraph() {
  const csdl = publishedMetadata();
  // The product has some of the standard API's entity sets; here all are those of another API, with other names.
  const drafted = draftAll(csdl, entitySetsOfGraph(csdl), { route: 'contoso/published/v1.0' });
  const files = renameAll(drafted, 'published');
  const texts = files.map((file) => ({ file: `${file.entitySet}.json`, text: JSON.stringify(file) }));
  const added = addRecordFiles(product, texts, () => names);
  if ('mistakes' in added) throw new Error(JSON.stringify(added.mistakes, null, 2));
  return { files, list: added.list };
}

describe('all entity sets of Business Central', () => {
  const { files, list } = publishedGraph();
  const sdl = subgraphSdl(list);
  const schema = buildASTSchema(parse(clientSdl(list)));

  test('are a valid schema', () => {
    expect(validateSchema(schema)).toEqual([]);
    expect(validateSchema(createSchema(list))).toEqual([]);
    for (const { type } of files) expect(schema.getType(type), type).toBeDefined();
  });

  test.for([
    ['@theguild/federation-composition', composeServices],
    ['@apollo/composition', composeByApollo],
  ] as const)('compose as a subgraph by %s', ([, compose]) => {
    const { errors, supergraphSdl = '' } = compose([
      { name: 'tributary', typeDefs: parse(sdl), url: 'http://tributary.test/graphql' },
    ]);

    expect(errors ?? []).toEqual([]);
    const api = buildASTSchema(transformSupergraphToPublicSchema(parse(supergraphSdl)));
    expect(files.map(({ type }) => type).filter((type) => !api.getType(type))).toEqual([]);
  });

  test.for(Object.entries(rulesOfRecordTypes))('keep the rule of %s', ([, findFaults]) => {
    // What a name says of a currency is a person's to reword.
    expect(findFaults(schema).filter((place) => !/\.\w*Currency\w*Amount$/.test(place))).toEqual([]);
  });

  test('keep the rule of open enums', () => {
    // schema.test.ts looks at those of the product.
    expect(findClosedEnums(schema, productEnums)).toEqual([]);
  });
});
