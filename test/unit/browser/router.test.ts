import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatRoute, parseRoute } from '../../../browser/console/router.js';

test('any text is a segment of a route', () => {
  const segment = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(fc.array(segment), (parts) => {
      expect(parseRoute(formatRoute(...parts))).toEqual(parts);
    }),
  );
});

test('what is no route is the first view', () => {
  for (const hash of ['', '#', '#/', '#/%', '#/%E0%A4%A']) expect(parseRoute(hash)).toEqual([]);
});
