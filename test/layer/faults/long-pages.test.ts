import { expect, test } from 'vitest';
import { startBeforeStub } from '../../support/layer.ts';

const total = 5_000;
const idOf = (n: number) => `5d115c9c-44e3-4a11-bb43-${String(n).padStart(12, '0')}`;

// Every row is some 300 bytes long.
const rows = Array.from({ length: total }, (_, n) => ({
  '@odata.etag': `W/"${n}"`,
  id: idOf(n),
  displayName: `"],{ ${n} \\`,
  website: `https://example.test/${'x'.repeat(200)}`,
  creditLimit: 0,
}));
const body = JSON.stringify({ '@odata.count': total, value: rows }).replace(
  '"creditLimit":0',
  '"creditLimit":1234567890123456.789',
);

test('an upstream that ignores the page size is still read page by page', async () => {
  const { layer, stub } = await startBeforeStub(() => ({ body }));
  const read = async (first: number, after: string | null) => {
    const { data, errors } = await layer.query(
      `query ($first: Int!, $after: String) { company { customers(first: $first, after: $after) {
        nodes { id etag displayName creditLimit } pageInfo { hasNextPage endCursor } totalCount
      } } }`,
      { first, after },
    );
    expect(errors).toBeUndefined();
    return data.company.customers;
  };

  const ids: string[] = [];
  let after: string | null = null;
  for (const first of [3, 997, 1000, 1000, 1000, 1000]) {
    const page = await read(first, after);
    if (after === null) {
      expect(page.totalCount).toBe(total);
      expect(page.nodes[0]).toEqual({
        id: idOf(0),
        etag: 'W/"0"',
        displayName: '"],{ 0 \\',
        creditLimit: '1234567890123456.789',
      });
    }
    expect(page.nodes).toHaveLength(first);
    ids.push(...page.nodes.map(({ id }: { id: string }) => id));
    expect(page.pageInfo.hasNextPage).toBe(ids.length < total);
    after = page.pageInfo.endCursor;
  }

  expect(ids).toEqual(rows.map(({ id }) => id));
  expect(stub.requests).toHaveLength(6);
});
