import { expect, test } from 'vitest';
import { createCursorCodec } from '../../../src/graph/cursor.ts';
import { filterColumns } from '../../../src/graph/rows/row-filter.ts';
import { createRowLists, type RowKind } from '../../../src/graph/rows/row-lists.ts';

interface Row {
  readonly name: string;
}

const rows: RowKind<Row> = {
  filterFields: filterColumns({ name: 'text' }),
  sortKeys: {},
  nameOf: ({ name }) => name,
};
const cursors = createCursorCodec(['the secret of the tests']);
const nextTurn = () => new Promise(setImmediate);

/** Starts an operation of a caller for each number, which reads one list, and notes the reads that have started. */
function startReads(caller: string, count: number) {
  const finish: ((failure?: Error) => void)[] = [];
  const pages = Array.from({ length: count }, () =>
    createRowLists(cursors, caller).page(
      rows,
      ['list'],
      {},
      () =>
        new Promise<readonly Row[]>((resolve, reject) => {
          finish.push((failure) => (failure ? reject(failure) : resolve([{ name: 'a' }])));
        }),
    ),
  );
  return { finish, pages };
}

test('a seventeenth list of a caller is read when one of the sixteen is filtered or has failed', async () => {
  const { finish, pages } = startReads('one', 18);
  await nextTurn();
  expect(finish).toHaveLength(16);

  finish[3]?.();
  expect((await pages[3])?.totalCount).toBe(1);
  await nextTurn();
  expect(finish).toHaveLength(17);

  finish[5]?.(new Error('failed'));
  await expect(pages[5]).rejects.toThrow('failed');
  await nextTurn();
  expect(finish).toHaveLength(18);

  for (const end of finish) end();
  await Promise.allSettled(pages);
});

test('the list of another caller is read at once', async () => {
  const many = startReads('many', 16);
  const { finish, pages } = startReads('other', 1);

  await nextTurn();
  finish[0]?.();

  expect((await pages[0])?.totalCount).toBe(1);
  for (const end of many.finish) end();
  await Promise.all(many.pages);
});
