import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices, transformSupergraphToPublicSchema } from '@theguild/federation-composition';
import { buildASTSchema, parse, validateSchema } from 'graphql';
import { describe, expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { clientSdl, subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { readDeclarations } from '../../../src/business/declarations/record-types.ts';
import { rulesOfRecordTypes } from '../../support/cases/graph-rules.ts';
import {
  declarationsOf,
  draftAll,
  entitySetsOfGraph,
  publishedMetadata,
  renameAll,
} from '../../support/cases/metadata.ts';

/** A graph with all entity sets of Business Central beside the types of the product, as files that `tributary add` makes. */
function publishedGraph() {
  const csdl = publishedMetadata();
  // The product has some of the standard API's entity sets; here all are those of another API, with other names.
  const drafted = draftAll(csdl, entitySetsOfGraph(csdl), { route: 'contoso/published/v1.0' });
  const texts = renameAll(drafted, 'published');
  const added = readDeclarations(productRecordTypes(), texts, createSchema());
  if ('mistakes' in added) throw new Error(JSON.stringify(added.mistakes, null, 2));
  return { types: [...declarationsOf(...texts.map(({ text }) => text)).types.keys()], list: added.model };
}

describe('all entity sets of Business Central', () => {
  const { types, list } = publishedGraph();
  const sdl = subgraphSdl(list);
  const schema = buildASTSchema(parse(clientSdl(list)));

  test('are a valid schema', () => {
    expect(validateSchema(schema)).toEqual([]);
    expect(validateSchema(createSchema(list))).toEqual([]);
    for (const type of types) expect(schema.getType(type), type).toBeDefined();
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
    expect(types.filter((type) => !api.getType(type))).toEqual([]);
  });

  test.for(Object.entries(rulesOfRecordTypes))('keep the rule of %s', ([, findFaults]) => {
    // What a name says of a currency is a person's to reword.
    expect(findFaults(schema).filter((place) => !/\.\w*Currency\w*Amount$/.test(place))).toEqual([]);
  });
});
