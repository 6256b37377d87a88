import { expect } from 'vitest';
import { test } from '../../support/layer.ts';

const lists = {
  customers: `query ($first: Int, $after: String) {
    company { list: customers(first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } } }
  }`,
  'health events': `query ($first: Int, $after: String) {
    list: healthEvents(first: $first, after: $after) { nodes { id } pageInfo { hasNextPage endCursor } }
  }`,
};

test.for(Object.entries(lists))(
  'the page after the last of the %s is empty, not the first page',
  async ([, query], { layer }) => {
    const page = async (after: string | null) => {
      const { data, errors } = await layer.query(query, { first: 128, after });
      expect(errors).toBeUndefined();
      return (data.company ?? data).list;
    };
    let last = await page(null);
    for (let pages = 1; last.pageInfo.hasNextPage && pages < 5; pages += 1)
      last = await page(last.pageInfo.endCursor);
    expect(last.pageInfo.hasNextPage).toBe(false);
    expect(last.nodes.length).toBeGreaterThan(0);

    const behind = await page(last.pageInfo.endCursor);
    expect(behind.nodes).toEqual([]);
    expect(behind.pageInfo.hasNextPage).toBe(false);
  },
);
