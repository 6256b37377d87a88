import { initGraphQLTada, type ResultOf, readFragment, type VariablesOf } from 'gql.tada';
import { print } from 'graphql';
import type { introspection } from '../generated/typed/introspection.js';

const graphql = initGraphQLTada<{
  introspection: introspection;
  scalars: {
    UUID: string;
    Date: string;
    DateTime: string;
    Decimal: string;
    SafeInt: number;
    JSON: unknown;
  };
}>();

const order = graphql(`
  fragment Order on SalesOrder {
    id
    orderDate
    lastModifiedDateTime
    totalAmountIncludingTax
    status
  }
`);

const document = graphql(
  `
    query Orders($from: DateTime, $amount: Decimal!) {
      company {
        timestamp
        salesOrders(
          first: 2
          filter: { lastModifiedDateTime: { ge: $from }, totalAmountIncludingTax: { gt: $amount } }
        ) {
          nodes {
            ...Order
          }
        }
      }
    }
  `,
  [order],
);

// @ts-expect-error A decimal is a string.
export const rejected: VariablesOf<typeof document> = { amount: 0.5 };

export async function readOrders(url: string, headers: Record<string, string>) {
  const variables: VariablesOf<typeof document> = { amount: '0.5' };
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ query: print(document), variables }),
  });
  const { data } = (await response.json()) as { data: ResultOf<typeof document> };
  const timestamp: number | null | undefined = data.company?.timestamp;
  const orders = data.company?.salesOrders?.nodes.map((masked) => {
    const row = readFragment(order, masked);
    const dates: (string | null)[] = [row.orderDate, row.lastModifiedDateTime];
    const amount: string | null = row.totalAmountIncludingTax;
    // @ts-expect-error It is no number.
    const wrong: number | null = row.totalAmountIncludingTax;
    return { id: row.id, dates, amount, isOpen: row.status === 'Open', wrong };
  });
  return { timestamp, orders };
}
