import { expect, test } from 'vitest';
import { indexByRecord, type Notice, summarizeNotices } from '../../../src/changes/notifications.ts';

const notice = (kind: 'created' | 'updated' | 'deleted', id: string, second = 0): Notice => ({
  kind,
  id,
  at: new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString(),
});

test('of more than ten thousand only the earliest time is kept', () => {
  const notices = Array.from({ length: 10_000 }, (_, index) => notice('updated', String(index), 7));
  expect(summarizeNotices(notices)).toBe(notices);

  expect(
    summarizeNotices([...notices, notice('updated', 'earliest', 3), { kind: 'many', since: null }]),
  ).toEqual([{ kind: 'many', since: '2026-01-01T00:00:03.000Z' }]);
});

test('the last notice of a record counts, but one that was created stays so', () => {
  const records = indexByRecord([
    notice('created', 'a', 1),
    notice('updated', 'a', 2),
    notice('created', 'b', 1),
    notice('deleted', 'b', 2),
    notice('updated', 'c', 1),
    { kind: 'many', since: null },
  ]);

  expect([...records.values()]).toEqual([
    notice('created', 'a', 2),
    notice('deleted', 'b', 2),
    notice('updated', 'c', 1),
  ]);
});
