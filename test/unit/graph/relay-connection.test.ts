import { describe, expect, test } from 'vitest';
import { InputError } from '../../../src/errors.ts';
import { RelayConnection, type RowPage, readFirst } from '../../../src/graph/relay-connection.ts';

const rows = (nodes: string[], asked: number[] = []): RowPage<string> => ({
  nodes,
  hasNextPage: true,
  hasPreviousPage: false,
  totalCount: 7,
  cursorAt(index) {
    asked.push(index);
    return `cursor ${index}`;
  },
});

describe('a connection', () => {
  test('without rows has no cursors', () => {
    expect(new RelayConnection(rows([])).pageInfo).toMatchObject({ startCursor: null, endCursor: null });
    expect(new RelayConnection(rows([])).edges).toEqual([]);
  });

  test('makes no cursor that is not read', () => {
    const asked: number[] = [];
    const { nodes, edges, pageInfo } = new RelayConnection(rows(['a', 'b', 'c'], asked));

    expect([nodes.length, edges.length, pageInfo.hasNextPage, pageInfo.endCursor]).toEqual([
      3,
      3,
      true,
      'cursor 2',
    ]);
    expect(asked).toEqual([2]);
  });
});

describe('first', () => {
  test.each([
    [null, 50],
    [1000, 1000],
  ])('of %s reads %d rows', (first, size) => {
    expect(readFirst(first)).toBe(size);
  });

  test.each([[0], [-1], [1001], [2 ** 31 - 1]])('of %d is refused', (first) => {
    expect(() => readFirst(first)).toThrow(InputError);
    expect(() => readFirst(first)).toThrow(`\`first\` is ${first}; it must be 1 to 1000.`);
  });
});
