import { GraphQLClient } from 'graphql-request';
import { graphql } from '../generated/typed/graphql/gql.js';

const document = graphql(`
  query Orders($from: DateTime, $amount: Decimal!) {
    company {
      timestamp
      salesOrders(
        first: 2
        filter: { lastModifiedDateTime: { ge: $from }, totalAmountIncludingTax: { gt: $amount } }
      ) {
        nodes {
          id
          orderDate
          lastModifiedDateTime
          totalAmountIncludingTax
          status
        }
      }
    }
    applicationInstance(
      subscriptionId: "11111111-2222-4333-8444-555555555555"
      resourceGroupName: "rg-north"
      virtualInstanceName: "N01"
      applicationInstanceName: "app01"
    ) {
      tags
    }
  }
`);

export async function readOrders(url: string, headers: Record<string, string>) {
  const client = new GraphQLClient(url, { headers });
  const { company, applicationInstance } = await client.request(document, { amount: '0.5' });
  // @ts-expect-error A decimal is a string, and required.
  const rejected = () => client.request(document, { amount: 0.5 });
  const timestamp: number | null | undefined = company?.timestamp;
  const tags: unknown = applicationInstance?.tags;
  const orders = company?.salesOrders?.nodes.map((order) => {
    const id: string = order.id;
    const dates: (string | null | undefined)[] = [order.orderDate, order.lastModifiedDateTime];
    const amount: string | null | undefined = order.totalAmountIncludingTax;
    // @ts-expect-error It is no number.
    const wrong: number | null | undefined = order.totalAmountIncludingTax;
    return { id, dates, amount, isOpen: order.status === 'Open', wrong };
  });
  return { timestamp, tags, orders, rejected };
}
