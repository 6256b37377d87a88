// The same as main.ts with nothing but fetch.
const { GRAPH_URL: url = 'http://127.0.0.1:4000/graphql', TOKEN: token = 'sandbox' } = process.env;
const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

async function ask(query, variables) {
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ query, variables }) });
  const { data, errors } = await response.json();
  if (errors) throw new Error(errors.map(({ message }) => message).join('\n'));
  return data;
}

/** A subscription over server-sent events: `event: next` and `data: …`, ended by a blank line; `:` starts a comment. */
async function* watch(query, variables) {
  const response = await fetch(`${url}/stream`, {
    method: 'POST',
    headers: { ...headers, accept: 'text/event-stream' },
    body: JSON.stringify({ query, variables }),
  });
  let text = '';
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    const events = (text + piece).split('\n\n');
    text = events.pop();
    for (const event of events) {
      const [, json] = /^data: (.+)$/m.exec(event) ?? [];
      if (json) yield JSON.parse(json).data;
    }
  }
}

const ordersPage = `query ($first: Int!, $after: String) {
  company { salesOrders(first: $first, after: $after, orderBy: [NUMBER_ASC]) {
    nodes { number totalAmountIncludingTax customer { displayName } }
    pageInfo { hasNextPage endCursor }
  } }
}`;
for (let page = 1, after = null; page <= 2; page++) {
  const { nodes, pageInfo } = (await ask(ordersPage, { first: 3, after })).company.salesOrders;
  for (const { number, totalAmountIncludingTax, customer } of nodes)
    console.log(`${number} ${totalAmountIncludingTax} ${customer?.displayName}`);
  after = pageInfo.endCursor;
}

const id = '6c8412bf-6d98-42ce-bae5-f63018b7c03e';
const change = `mutation ($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) { customer { etag phoneNumber } userErrors { code message } }
}`;
const { company } = await ask('query ($id: UUID!) { company { customer(id: $id) { etag } } }', { id });
let seen = company.customer;
await ask(change, { input: { id, ifMatch: '*', patch: { phoneNumber: '+47 00 00 00 00' } } });
for (let isDone = false; !isDone; ) {
  const input = { id, ifMatch: seen.etag, patch: { phoneNumber: '+47 22 33 44 55' } };
  const { customer, userErrors } = (await ask(change, { input })).updateCustomer;
  const [error] = userErrors;
  if (error) console.log(`${error.code}: it is ${customer?.phoneNumber} by now`);
  else console.log(`changed to ${customer?.phoneNumber}`);
  isDone = error?.code !== 'STALE_RECORD';
  seen = customer;
}

const place = `subscriptionId: "11111111-2222-4333-8444-555555555555", resourceGroupName: "rg-north",
  virtualInstanceName: "N01", applicationInstanceName: "app01"`;
const { stopApplicationInstance } = await ask(`mutation {
  stopApplicationInstance(input: { instance: { names: { ${place} } } }) { operation { id } userErrors { message } }
}`);
const progress = 'subscription ($id: ID!) { operationProgress(id: $id) { state percentComplete } }';
for await (const { operationProgress } of watch(progress, { id: stopApplicationInstance.operation.id }))
  console.log(`${operationProgress.state} ${operationProgress.percentComplete} %`);
