import { expect, test } from 'vitest';
import { parseMetadata } from '../../../src/adding/metadata.ts';
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

test('the same metadata makes the same files', () => {
  expect(draftAll(csdl, sets)).toEqual(drafts);
});

test('one entity set alone makes a file without mistakes, without relations to the others', () => {
  const [base, graph] = [productRecordTypes(), createSchema()];
  const mistakes = sets.flatMap((set) => {
    const renamed = renameAll(
      [{ file: set, text: draftOf(csdl, set, { route: 'contoso/app/v1.0' }) }],
      'own',
    );
    const read = readDeclarations(base, renamed, graph);
    return 'mistakes' in read ? read.mistakes.map(formatMistake) : [];
  });

  expect(mistakes).toEqual([]);
});

/** What drafting each entity set of a service fails with; null where it makes a file. */
const refusalsOf = (service: string) => {
  const metadata = publishedMetadata(service);
  return Object.fromEntries(
    [...parseMetadata(metadata).entitySets.keys()].map((set) => {
      try {
        return [set, draftOf(metadata, set) && null];
      } catch (error) {
        return [set, (error as Error).message];
      }
    }),
  );
};

test('entity sets of other services are refused in a sentence, but for one GUID as key', () => {
  expect({ ...refusalsOf('bookshop'), ...refusalsOf('northwind'), ...refusalsOf('trippin') }).toEqual({
    Genres: null,
    ...Object.fromEntries(
      [
        ['Books', 'its key ID is of Edm.Int32, and has to be a GUID'],
        ['Currencies', 'its key code is of Edm.String, and has to be a GUID'],
        ['Books_texts', 'its key has 2 columns, locale, ID, and has to be one GUID'],
        ['Genres_texts', 'its key has 2 columns, locale, ID, and has to be one GUID'],
        ['Categories', 'its key CategoryID is of Edm.Int32, and has to be a GUID'],
        ['Customers', 'its key CustomerID is of Edm.String, and has to be a GUID'],
        ['Orders', 'its key OrderID is of Edm.Int32, and has to be a GUID'],
        ['Order_Details', 'its key has 2 columns, OrderID, ProductID, and has to be one GUID'],
        ['Products', 'its key ProductID is of Edm.Int32, and has to be a GUID'],
        [
          'Alphabetical_list_of_products',
          'its key has 4 columns, CategoryName, Discontinued, ProductID, ProductName, and has to be one GUID',
        ],
        ['Category_Sales_for_1997', 'its key CategoryName is of Edm.String, and has to be a GUID'],
        ['Photos', 'its key Id is of Edm.Int64, and has to be a GUID'],
        ['People', 'its key UserName is of Edm.String, and has to be a GUID'],
        ['Airlines', 'its key AirlineCode is of Edm.String, and has to be a GUID'],
        ['Airports', 'its key IcaoCode is of Edm.String, and has to be a GUID'],
      ].map(([set, reason]) => [set, `${set} cannot be added: ${reason}.`]),
    ),
  });
});

test('the bookshop makes a file without mistakes, whose relation has the key of its constraint', () => {
  const text = draftOf(publishedMetadata('bookshop'), 'Genres');
  const read = readDeclarations(productRecordTypes(), [{ file: 'Genres.graphql', text }], createSchema());

  expect('mistakes' in read ? read.mistakes.map(formatMistake) : []).toEqual([]);
  expect(text).toContain('type Genres @record(set: "Genres", id: "ID", many: "genresRecords")');
  expect(text).toContain('parent: Genres @relation(key: "parentId", expand: "parent")');
});
