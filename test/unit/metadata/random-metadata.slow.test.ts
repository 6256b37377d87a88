import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type RecordTypeFile, recordTypeFile } from '../../../src/business/record-files/record-file.ts';
import { draftRecordFiles } from '../../../src/metadata/draft-record-files.ts';
import { MetadataError } from '../../../src/metadata/metadata-error.ts';
import { parseMetadata } from '../../../src/metadata/parse-metadata.ts';
import { brokenCsdl, csdlModels } from '../../support/csdl-models.ts';
import { draftOptions, metadataOf } from '../../support/metadata.ts';

/** What has to be true of the record files of every model. Takes them as they are: with all files of one model at once. */
function checkFiles(files: readonly RecordTypeFile[]): void {
  for (const file of files) {
    const { error } = recordTypeFile.safeParse(JSON.parse(JSON.stringify(file)));
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

test('2,000 random models make record files of the format, with no name twice', () => {
  let sets = 0;
  fc.assert(
    fc.property(csdlModels, ({ csdl, entitySets }) => {
      // No format can hold this name: it is refused.
      fc.pre(!csdl.includes('"__proto__"'));
      const { files } = draftRecordFiles(csdl, entitySets, draftOptions());
      sets += files.length;
      checkFiles(files);
    }),
    { numRuns: 2_000 },
  );
  expect(sets).toBeGreaterThan(2_000);
}, 180_000);

const failure = (csdl: string): unknown => {
  try {
    parseMetadata(csdl);
    return null;
  } catch (error) {
    return error;
  }
};

test('500 broken models fail with the line and the reason', () => {
  const reasons = new Set<string>();
  fc.assert(
    fc.property(brokenCsdl, (csdl) => {
      const error = failure(csdl);
      expect(error).toBeInstanceOf(MetadataError);
      const { line, message } = error as MetadataError;
      expect(message).toMatch(/^Line \d+: .{10,}[.?]$/s);
      expect(line).toBeGreaterThan(0);
      expect(line).toBeLessThanOrEqual(csdl.split('\n').length);
      reasons.add(message.replace(/\d+|"[^"]*"|\S*[._]\S*/g, ''));
    }),
    { numRuns: 500 },
  );
  expect(reasons.size).toBeGreaterThan(15);
});

test('a document that ends too early fails, wherever it ends', () => {
  const csdl = metadataOf('bookshop').trimEnd();
  const read = Array.from({ length: csdl.length - 1 }, (_, at) => at).filter(
    (at) => !(failure(csdl.slice(0, at)) instanceof MetadataError),
  );

  expect(read).toEqual([]);
});
