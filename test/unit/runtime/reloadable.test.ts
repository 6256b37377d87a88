import { expect, test } from 'vitest';
import { derive, replace } from '../../../src/runtime/reloadable.ts';

test('what is derived is computed once for each value, and an equal result stays the same object', () => {
  const source = { current: { limit: 1, other: 1 } };
  let computed = 0;
  const limits = derive(source, ({ limit }) => ({ limit }));
  const derived = derive(limits, ({ limit }) => {
    computed += 1;
    return { doubled: 2 * limit };
  });
  const first = derived.current;

  replace(source, { limit: 1, other: 2 });
  expect([limits.current, derived.current, derived.current]).toEqual([{ limit: 1 }, first, first]);
  expect([derived.current === first, computed]).toEqual([true, 1]);

  replace(source, { limit: 3, other: 2 });
  expect([derived.current, derived.current]).toEqual([{ doubled: 6 }, { doubled: 6 }]);
  expect([first, computed]).toEqual([{ doubled: 2 }, 2]);
});
