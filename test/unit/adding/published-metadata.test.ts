import { expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { formatMistake } from '../../../src/business/declarations/mistakes.ts';
import { readDeclarations } from '../../../src/business/declarations/record-types.ts';
import {
  draftAll,
  draftOf,
  entitySetsOf,
  publishedMetadata,
  recordOf,
  renameAll,
} from '../../support/cases/metadata.ts';

const csdl = publishedMetadata();
const sets = entitySetsOf(csdl);
const drafts = draftAll(csdl, sets);

test('every entity set of Business Central makes a declaration of it', () => {
  expect(drafts.map(({ text }) => recordOf(text).record?.set)).toEqual(sets);
  expect(sets).toHaveLength(81);
});

test('an entity set alone makes a file without mistakes, without relations to the others', () => {
  const [base, graph] = [productRecordTypes(), createSchema()];
  const mistakes = sets
    .filter((_, at) => at % 8 === 0)
    .flatMap((set) => {
      const renamed = renameAll(
        [{ file: set, text: draftOf(csdl, set, { route: 'contoso/app/v1.0' }) }],
        'own',
      );
      const read = readDeclarations(base, renamed, graph);
      return 'mistakes' in read ? read.mistakes.map(formatMistake) : [];
    });

  expect(mistakes).toEqual([]);
});
