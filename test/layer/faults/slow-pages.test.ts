import { describe, expect, test } from 'vitest';
import { startBeforeStub } from '../../support/layer.ts';
import type { Stub } from '../../support/stub.ts';

const idOf = (n: number) => `5d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

interface Rule {
  /** The longest page it answers; for more rows it gives up. */
  limit: number;
  /** How many rows a list has. */
  rows?: number;
  /** The set whose lists are slow; all when left out. */
  only?: string;
}

/** How many keys each read names, in batches too. */
const keysOf = ({ requests }: Stub): number[] =>
  requests.flatMap(({ target, body }) => {
    const reads =
      body === '' ? [target] : (JSON.parse(body).requests as { url: string }[]).map(({ url }) => url);
    return reads.map((read) => read.match(/id%20eq|id eq/g)?.length ?? 0);
  });

/** An upstream that gives up on pages of more than `limit` rows, and the layer in front of it. */
async function startSlow(rule: Rule) {
  const sizes: number[] = [];
  const { rows: total = 100 } = rule;
  const answer = (target: string, prefer: unknown) => {
    const url = new URL(target, 'http://upstream');
    const size = Number(/maxpagesize=(\d+)/.exec(String(prefer))?.[1] ?? 1_000);
    sizes.push(size);
    const keys = [...(url.searchParams.get('$filter')?.matchAll(/id eq ([\w-]{36})/g) ?? [])].map(([, id]) =>
      Number.parseInt(id?.slice(-12) ?? '', 16),
    );
    const all = keys.length > 0 ? keys : numbers(1, total).map(Number);
    const isSlow = rule.only === undefined || url.pathname.endsWith(rule.only);
    if (isSlow && Math.min(size, all.length) > rule.limit) return { status: 504, body: {} };
    const from = Number(url.searchParams.get('$skiptoken') ?? 0);
    const page = all
      .slice(from, from + size)
      .map((n) => ({ id: idOf(n), number: String(n), customerId: idOf(n) }));
    const end = from + page.length;
    return {
      status: 200,
      body: {
        ...(url.searchParams.get('$count') && { '@odata.count': all.length }),
        value: page,
        ...(end < all.length && { '@odata.nextLink': `http://upstream${url.pathname}?$skiptoken=${end}` }),
      },
    };
  };
  const { layer, stub } = await startBeforeStub(({ target, headers, body }) => {
    if (!target.endsWith('$batch')) return answer(target, headers.prefer);
    const { requests } = JSON.parse(body) as {
      requests: { id: string; url: string; headers: Record<string, string> }[];
    };
    const responses = requests.map((part) => ({
      id: part.id,
      ...answer(`/api/v2.0/${part.url}`, part.headers.prefer),
    }));
    return { body: { responses } };
  });
  const list = async (first: number, after: string | null = null) => {
    const { data, errors } = await layer.query(
      `query ($first: Int, $after: String) { company { customers(first: $first, after: $after) {
        totalCount edges { cursor node { number } } pageInfo { hasNextPage }
      } } }`,
      { first, after },
    );
    const edges: { cursor: string; node: { number: string } }[] = data?.company?.customers?.edges ?? [];
    return {
      errors,
      edges,
      told: edges.map(({ node }) => node.number),
      hasNextPage: data?.company?.customers?.pageInfo.hasNextPage,
      totalCount: data?.company?.customers?.totalCount,
    };
  };
  return { stub, layer, sizes, list };
}

describe('a page that times out upstream', () => {
  test('is requested again in halves, and the list is complete, with its count', async () => {
    const { sizes, list } = await startSlow({ limit: 10 });

    const { errors, told, hasNextPage, totalCount } = await list(40);

    expect(errors).toBeUndefined();
    expect(told).toEqual(numbers(1, 40));
    expect({ hasNextPage, totalCount }).toEqual({ hasNextPage: true, totalCount: 100 });
    expect(sizes).toEqual([40, 20, 10, 10, 10, 10]);
  });

  test.for([
    [1_000, [1_000, 500, 250, 125]],
    [12, [12, 6, 5]],
    [5, [5]],
  ] as const)(
    'of %i rows that never arrives is requested as %j, and then reported as an error',
    async ([first, asked]) => {
      const { sizes, list } = await startSlow({ limit: 0, rows: 2_000 });

      const { errors } = await list(first);

      expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['UPSTREAM_TIMEOUT']);
      expect(sizes).toEqual(asked);
    },
  );
});

test('every cursor of a list in shorter pages leads to the row after its own', async () => {
  const { list } = await startSlow({ limit: 10, rows: 45 });
  const { edges } = await list(30);
  expect(edges).toHaveLength(30);

  for (const [index, { cursor }] of edges.entries()) {
    const { told, hasNextPage } = await list(20, cursor);
    expect(told).toEqual(numbers(index + 2, Math.min(index + 21, 45)));
    expect(hasNextPage).toBe(index + 21 < 45);
  }
});

test('only the list of a batch that times out upstream is requested again', async () => {
  const { stub, layer, sizes } = await startSlow({ limit: 10, only: '/customers' });
  const sets = ['items', 'employees', 'salesOrders', 'accounts', 'currencies'];

  const { data, errors } = await layer.query(
    `{ company { customers(first: 20) { nodes { number } }
      ${sets.map((set) => `${set}(first: 20) { nodes { id } }`).join(' ')} } }`,
  );

  expect(errors).toBeUndefined();
  expect(data.company.customers.nodes.map(({ number }: { number: string }) => number)).toEqual(
    numbers(1, 20),
  );
  for (const set of sets) expect(data.company[set].nodes).toHaveLength(20);
  expect(stub.requests.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET']);
  expect(sizes.slice(6)).toEqual([10, 10]);
});

test('records that are looked up together are read by half as many keys where the upstream times out', async () => {
  const { layer, stub, sizes } = await startSlow({ limit: 10, only: '/customers' });

  const { data, errors } = await layer.query(
    '{ company { salesOrders(first: 20) { nodes { number customer { number } } } } }',
  );

  expect(errors).toBeUndefined();
  for (const order of data.company.salesOrders.nodes) expect(order.customer.number).toBe(order.number);
  expect(sizes).toEqual([20, 1_000, 1_000, 1_000]);
  expect(keysOf(stub)).toEqual([0, 20, 10, 10]);
});
