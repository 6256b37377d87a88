// Pages through orders, makes an update that meets a concurrent change, and follows a stop to its end.
import type { OrdersPageQuery } from './generated/graphql.ts';
import { createGraph, type Graph } from './graph.ts';
import { changeContact, customerContact, ordersPage, stopInstance, stopProgress } from './operations.ts';

const { GRAPH_URL: url = 'http://127.0.0.1:4000/graphql', TOKEN: token = 'sandbox', BY_ID } = process.env;
const graph = createGraph({ url, token, isById: BY_ID === '1' });

await showOrders(graph, 2);
await changePhone(graph, '6c8412bf-6d98-42ce-bae5-f63018b7c03e', '+47 22 33 44 55');
await stop(graph, 'app01');

async function showOrders({ ask }: Graph, pages: number) {
  let after: string | null = null;
  for (let page = 1; page <= pages; page++) {
    const answer: OrdersPageQuery = await ask(ordersPage, { first: 3, after });
    const orders = answer.company?.salesOrders;
    for (const { number, totalAmountIncludingTax, customer } of orders?.nodes ?? [])
      console.log(`${number} ${totalAmountIncludingTax} ${customer?.displayName}`);
    if (!orders?.pageInfo.hasNextPage) return;
    after = orders.pageInfo.endCursor;
  }
}

/** Updates the phone number only if the customer is unchanged; otherwise prints the current value. */
async function changePhone({ ask }: Graph, id: string, phoneNumber: string) {
  const { company } = await ask(customerContact, { id });
  let seen = company?.customer;
  // A concurrent change.
  await ask(changeContact, { input: { id, ifMatch: '*', patch: { phoneNumber: '+47 00 00 00 00' } } });

  while (seen?.etag) {
    const input = { id, ifMatch: seen.etag, patch: { phoneNumber } };
    const { updateCustomer } = await ask(changeContact, { input });
    const [error] = updateCustomer?.userErrors ?? [];
    if (!error) return console.log(`changed to ${updateCustomer?.customer?.phoneNumber}`);
    console.log(`${error.code}: it is ${updateCustomer?.customer?.phoneNumber} by now`);
    if (error.code !== 'STALE_RECORD') return;
    seen = updateCustomer?.customer;
  }
}

async function stop({ ask, watch }: Graph, applicationInstanceName: string) {
  const { stopApplicationInstance } = await ask(stopInstance, {
    input: {
      instance: {
        names: {
          subscriptionId: '11111111-2222-4333-8444-555555555555',
          resourceGroupName: 'rg-north',
          virtualInstanceName: 'N01',
          applicationInstanceName,
        },
      },
    },
  });
  const id = stopApplicationInstance?.operation?.id;
  if (!id) return console.log(stopApplicationInstance?.userErrors[0]?.message);
  for await (const { operationProgress } of watch(stopProgress, { id }))
    console.log(`${operationProgress?.state} ${operationProgress?.percentComplete} %`);
}
