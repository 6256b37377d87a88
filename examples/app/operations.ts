import { graphql } from './generated/gql.ts';

/** A page of orders; `after` is the `endCursor` of the previous page. */
export const ordersPage = graphql(`
  query OrdersPage($first: Int!, $after: String) {
    company {
      salesOrders(first: $first, after: $after, orderBy: [NUMBER_ASC]) {
        nodes { number totalAmountIncludingTax customer { displayName } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
`);

export const customerContact = graphql(`
  query CustomerContact($id: UUID!) {
    company { customer(id: $id) { etag phoneNumber } }
  }
`);

export const changeContact = graphql(`
  mutation ChangeContact($input: UpdateCustomerInput!) {
    updateCustomer(input: $input) {
      customer { etag phoneNumber }
      userErrors { code message path }
    }
  }
`);

export const stopInstance = graphql(`
  mutation StopInstance($input: StopApplicationInstanceInput!) {
    stopApplicationInstance(input: $input) {
      operation { id }
      userErrors { code message }
    }
  }
`);

export const stopProgress = graphql(`
  subscription StopProgress($id: ID!) {
    operationProgress(id: $id) { state percentComplete error { message } }
  }
`);
