import { expect, test } from 'vitest';
import { createGroupedReads } from '../../../src/runtime/grouped-reads.ts';

function createReads() {
  const calls: string[] = [];
  const reads = createGroupedReads<string>();
  const read = (group: string, key: string) =>
    reads.read(group, key, {
      async readOne() {
        calls.push(`one ${key}`);
        return `${key} alone`;
      },
      async readGroup() {
        calls.push(`group ${group}`);
        return new Map(['a', 'b', 'c'].map((name) => [name, `${name} of ${group}`]));
      },
    });
  return { calls, read };
}

test('a value that is asked for alone is read by itself, once', async () => {
  const { calls, read } = createReads();

  expect(await Promise.all([read('one', 'a'), read('one', 'a'), read('two', 'a')])).toEqual([
    'a alone',
    'a alone',
    'a alone',
  ]);
  expect(await read('one', 'a')).toBe('a alone');
  expect(calls).toEqual(['one a', 'one a']);
});

test('several of one group are read with the group, once, and one that is not in it is null', async () => {
  const { calls, read } = createReads();
  const first = await Promise.all(['a', 'b', 'gone'].map((key) => read('one', key)));
  const later = await read('one', 'c');

  expect([...first, later]).toEqual(['a of one', 'b of one', null, 'c of one']);
  expect(calls).toEqual(['group one']);
});

test('from the second of a group on, the group is read', async () => {
  const { calls, read } = createReads();
  for (const key of ['a', 'b', 'c', 'a']) await read('one', key);

  expect(calls).toEqual(['one a', 'group one']);
});
