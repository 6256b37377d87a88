/** An example operation, shown in a window of the explorer. */
export interface Example {
  readonly name: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Ids used by the examples; null if unknown in this deployment. */
export interface ExampleRecordIds {
  readonly companyId: string | null;
  readonly customerId: string | null;
  readonly itemId: string | null;
}

const placeholderId = '00000000-0000-4000-8000-000000000000';

/** The query that is printed at start. */
export const firstQuery =
  '{ company { name salesOrders(first: 2) { nodes { number customer { displayName } } } } }';

/** Creates one example per use case, with placeholders for unknown ids. */
export function createExamples({ companyId, customerId, itemId }: ExampleRecordIds): Example[] {
  const company = companyId === null ? {} : { companyId };
  return [
    {
      name: 'Orders',
      query: `# A company's name, and its orders with customers and items: two upstream calls.
query Orders($companyId: UUID) {
  company(id: $companyId) {
    name
    salesOrders(first: 10) {
      nodes {
        number
        orderDate
        status
        totalAmountIncludingTax
        customer { number displayName city }
        documentLines { quantity item { number displayName unitPrice } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
}
`,
      variables: company,
    },
    {
      name: 'Find customers',
      query: `# Ten customers, their total number, and the latest orders of each: two upstream calls.
query FindCustomers($companyId: UUID, $filter: CustomerFilter) {
  company(id: $companyId) {
    customers(first: 10, filter: $filter, orderBy: [DISPLAY_NAME_ASC]) {
      totalCount
      nodes {
        number
        displayName
        city
        paymentTerm { displayName }
        salesOrders(first: 3, orderBy: [ORDER_DATE_DESC]) {
          nodes { number orderDate totalAmountIncludingTax }
        }
      }
    }
  }
}
`,
      variables: { ...company, filter: { displayName: { contains: 'a' }, blocked: { eq: null } } },
    },
    {
      name: 'One fragment for both',
      query: `# Orders and quotes have an interface in common: one fragment shows both. Three upstream calls.
query Documents($companyId: UUID, $number: String!) {
  company(id: $companyId) {
    customerByNumber(number: $number) {
      displayName
      salesOrders(first: 3) { nodes { ...Document } }
      salesQuotes(first: 3) { nodes { ...Document } }
    }
  }
}

fragment Document on SalesDocument {
  __typename
  nodeId
  number
  totalAmountIncludingTax
  currencyCode
}
`,
      variables: { ...company, number: 'C10000' },
    },
    {
      name: 'Item, both shapes',
      query: `# Unit names are only in the v1.0 shape, category codes only in v2.0:
# both are read and merged.
query Item($companyId: UUID, $id: UUID!) {
  company(id: $companyId) {
    item(id: $id) {
      etag
      displayName
      itemCategoryCode
      baseUnitOfMeasure { unitName symbol }
    }
  }
}
`,
      variables: { ...company, id: itemId ?? placeholderId },
    },
    {
      name: 'Change a customer',
      query: `# "ifMatch" takes the customer's etag: a stale one changes nothing
# and returns the current record.
mutation ChangeCustomer($input: UpdateCustomerInput!) {
  updateCustomer(input: $input) {
    customer { etag displayName phoneNumber }
    userErrors { code message path }
  }
}
`,
      variables: {
        input: {
          ...company,
          id: customerId ?? placeholderId,
          ifMatch: '*',
          patch: { phoneNumber: '+1 555 0100' },
        },
      },
    },
    {
      name: 'Create an order',
      query: `# The order and its lines are created together, or not at all.
mutation CreateOrder($input: CreateSalesOrderInput!) {
  createSalesOrder(input: $input) {
    salesOrder {
      id
      etag
      number
      totalAmountIncludingTax
      documentLines { lineType itemNo description quantity unitPrice }
    }
    userErrors { code message path }
  }
}
`,
      variables: {
        input: {
          ...company,
          customerNumber: 'C10000',
          documentLines: [
            { lineType: 'Item', itemNo: '1000', quantity: 2 },
            { lineType: 'Comment', description: 'Please call before delivery' },
          ],
        },
      },
    },
    {
      name: 'Stop and watch an instance',
      query: `# Running "Stop" also starts "Watch", with the id of the operation that it began.
mutation Stop($input: StopApplicationInstanceInput!) {
  stopApplicationInstance(input: $input) {
    operation { id state }
    userErrors { code message upstream { code message } }
  }
}

subscription Watch($id: ID!) {
  operationProgress(id: $id) {
    state
    status
    percentComplete
    operations { name state percentComplete }
    error { code message }
  }
}
`,
      variables: {
        input: {
          instance: {
            names: {
              subscriptionId: '11111111-2222-4333-8444-555555555555',
              resourceGroupName: 'rg-north',
              virtualInstanceName: 'N01',
              applicationInstanceName: 'app01',
            },
          },
          softStopTimeoutSeconds: 30,
        },
      },
    },
    {
      name: 'Health event',
      query: `query HealthEvent($trackingId: String!) {
  healthEvent(trackingId: $trackingId) {
    title
    eventType
    status
    isEventSensitive
    summary
    impact { impactedService impactedRegions { impactedRegion status } }
  }
}
`,
      variables: { trackingId: 'SI_1-QRT' },
    },
    {
      name: 'Upstreams',
      query: `# Circuit breaker, rate limit and recent calls of each upstream, without calling it.
{
  upstreams {
    name
    isConfigured
    breaker { state openUntil }
    pace { inFlight maxInFlight waiting pausedUntil }
    lately { count failures p50Ms p99Ms }
  }
}
`,
      variables: {},
    },
  ];
}
