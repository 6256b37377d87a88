import { expect, test } from 'vitest';
import { createSelection } from '../../../browser/console/fleet/selection.js';

const shown = ['a', 'b', 'c', 'd', 'e'];

test('a range goes from the row that was changed last, in either direction', () => {
  const selection = createSelection();

  selection.change('d', true, false, shown);
  selection.change('b', true, true, shown);
  expect(selection.keys().toSorted()).toEqual(['b', 'c', 'd']);
  selection.change('c', false, true, shown);
  expect(selection.keys()).toEqual(['d']);
});

test('a range whose beginning is not shown is one row', () => {
  const selection = createSelection();

  selection.change('b', true, true, shown);
  expect(selection.keys()).toEqual(['b']);
  selection.change('e', true, true, ['d', 'e']);
  expect(selection.keys()).toEqual(['b', 'e']);
});

test('what is selected stays selected while it is not shown', () => {
  const selection = createSelection();
  let told = 0;
  selection.watch(() => {
    told += 1;
  });

  selection.set(shown, true);
  selection.set(['a', 'b'], false);
  expect(selection.keys()).toEqual(['c', 'd', 'e']);
  selection.clear();
  expect(selection.keys()).toEqual([]);
  expect(told).toBe(4);
});
