import fc from 'fast-check';
import { expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { readDefinitions } from '../../../src/app/schema/sdl.ts';
import { listNames } from '../../../src/business/record-files/file-rules.ts';
import { type RecordFile, recordFile } from '../../../src/business/record-files/record-file.ts';
import { addRecordFiles } from '../../../src/business/record-files/record-type-list.ts';
import { parseMetadata } from '../../../src/metadata/csdl/parse-metadata.ts';
import { MetadataError } from '../../../src/metadata/csdl/xml.ts';
import { breakages, brokenCsdl } from '../../support/cases/broken-csdl.ts';
import { csdlModels } from '../../support/cases/csdl-models.ts';
import { documentOf, draftAll, graphOfTypes } from '../../support/cases/metadata.ts';

/** What has to be true of the record files of every model. Takes them as they are: with all files of one model at once. */
function checkFiles(files: readonly RecordFile[]): void {
  for (const file of files) {
    const { error } = recordFile.safeParse(JSON.parse(JSON.stringify(file)));
    expect(error, file.entitySet).toBeUndefined();
    const fields = [
      ...Object.entries(file.fields).flatMap(([name, { kind }]) =>
        kind === 'choice' ? [name, `${name}Raw`] : [name],
      ),
      ...[file.relations, file.rows, file.files].flatMap((named) => Object.keys(named ?? {})),
    ];
    expect(new Set(fields).size, file.entitySet).toBe(fields.length);
    for (const own of ['id', 'companyId', 'company', 'etag', 'nodeId']) expect(fields).not.toContain(own);
  }
  const types = files.flatMap(({ type, rows = {}, enums = {} }) => [
    type,
    ...Object.values(rows).map((row) => row.type),
    ...Object.keys(enums),
  ]);
  expect(new Set(types).size).toBe(types.length);
  const ofCompany = files.flatMap(({ names }) => Object.values(names));
  expect(new Set(ofCompany).size).toBe(ofCompany.length);
}

const product = productRecordTypes();
const graph = graphOfTypes(product.recordTypes, Object.keys(createSchema(product).getTypeMap()));
const namesOfProduct = new Set(listNames(readDefinitions(product)));

test('500 random models make record files that the graph takes, with no name twice', () => {
  let sets = 0;
  fc.assert(
    fc.property(csdlModels, fc.constantFrom('v2.0', 'contoso/app/v1.0'), ({ csdl, entitySets }, route) => {
      // `tributary add` refuses those that the graph has.
      const added = entitySets.filter(
        (name) => !graph.known.some((each) => each.route === route && each.entitySet === name),
      );
      const { files } = draftAll(csdl, added, { route, graph });
      sets += files.length;
      checkFiles(files);
      const texts = files.map((file) => ({ file: `${file.entitySet}.json`, text: JSON.stringify(file) }));
      expect(addRecordFiles(product, texts, () => namesOfProduct)).not.toHaveProperty('mistakes');
    }),
    { numRuns: 500 },
  );
  expect(sets).toBeGreaterThan(500);
}, 180_000);

const failure = (csdl: string): unknown => {
  try {
    parseMetadata(csdl);
    return null;
  } catch (error) {
    return error;
  }
};

test('500 models, each broken in one of the ways that there are, fail with the line and the reason', () => {
  const met = new Set<string>();
  fc.assert(
    fc.property(brokenCsdl, ({ csdl, what }) => {
      const error = failure(csdl);
      expect(error, what).toBeInstanceOf(MetadataError);
      const { line, message } = error as MetadataError;
      expect(message).toMatch(/^Line \d+: .{10,}[.?]$/s);
      expect(message, what).toMatch(breakages[what]?.says as RegExp);
      expect(line).toBeGreaterThan(0);
      expect(line).toBeLessThanOrEqual(csdl.split('\n').length);
      met.add(what);
    }),
    { numRuns: 500 },
  );
  expect([...met].sort()).toEqual(Object.keys(breakages).sort());
});

test('a document that ends too early fails, wherever it ends', () => {
  const csdl = documentOf(
    `<EntityType Name="thing"><Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.Guid" Nullable="false"/>
    <Property Name="kind" Type="Test.Kind"><Annotation Term="Org.OData.Core.V1.Description" String="What it is."/></Property>
    </EntityType><EnumType Name="Kind"><Member Name="A"/></EnumType>`,
    '<EntitySet Name="things" EntityType="Test.thing"/>',
  );
  const read = Array.from({ length: csdl.length - 1 }, (_, at) => at).filter(
    (at) => !(failure(csdl.slice(0, at)) instanceof MetadataError),
  );

  expect(read).toEqual([]);
});
