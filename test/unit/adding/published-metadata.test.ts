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

test('of the other published services only the orders of the bookshop have one GUID as their key', () => {
  const refusals = ['bookshop', 'northwind', 'trippin'].map(refusalsOf);
  const [bookshop, northwind, tripPin] = refusals;

  expect(refusals.map((of = {}) => Object.keys(of).length)).toEqual([5, 26, 4]);
  expect(refusals.flatMap((of = {}) => Object.keys(of).filter((set) => of[set] === null))).toEqual([
    'Orders',
  ]);
  for (const refusal of refusals.flatMap((of = {}) => Object.values(of)))
    if (refusal !== null)
      expect(refusal).toMatch(/^\w+ cannot be added: its key .+, and has to be (a|one) GUID\.$/);
  expect(bookshop?.Countries).toBe(
    'Countries cannot be added: its key code is of Edm.String, and has to be a GUID.',
  );
  expect(northwind?.Order_Details).toBe(
    'Order_Details cannot be added: its key has 2 columns, OrderID, ProductID, and has to be one GUID.',
  );
  expect(tripPin?.Photos).toBe('Photos cannot be added: its key Id is of Edm.Int64, and has to be a GUID.');
});

test('the orders of the bookshop make a file without mistakes', () => {
  const text = draftOf(publishedMetadata('bookshop'), 'Orders');
  const renamed = renameAll([{ file: 'Orders.graphql', text }], 'own');
  const read = readDeclarations(productRecordTypes(), renamed, createSchema());

  expect('mistakes' in read ? read.mistakes.map(formatMistake) : []).toEqual([]);
});
