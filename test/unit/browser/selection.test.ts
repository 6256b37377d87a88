import { expect, test } from 'vitest';
import { createSelection } from '../../../browser/console/fleet/selection.js';

const shown = ['a', 'b', 'c', 'd', 'e'];

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
