import { expect } from 'vitest';
import { neverSet, unreadFields } from '../../support/cases/every-field.ts';
import { testWith } from '../../support/layer.ts';

// Every field of two hundred orders is more than one operation may usually ask for.
const test = testWith({}, { MAX_COST: '200000' });

test('every field of every type can be read, and has a value on some record of the sandbox', async ({
  layer,
}) => {
  expect(await unreadFields(layer)).toEqual(neverSet);
});
