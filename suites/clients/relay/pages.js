// Input of the Relay compiler. Relay names fragments and operations after this file.
import { graphql } from 'relay-runtime';

export const page = graphql`
  query pagesQuery($first: Int!) {
    company {
      nodeId
      ...pages_company @arguments(first: $first)
    }
  }
`;

export const customers = graphql`
  fragment pages_company on Company
  @refetchable(queryName: "pagesCompanyQuery")
  @argumentDefinitions(first: { type: "Int!" }, after: { type: "String" }) {
    customers(first: $first, after: $after, orderBy: [NUMBER_ASC])
      @connection(key: "pages_customers") {
      edges {
        node {
          id
          nodeId
          number
          ...pages_customer
        }
      }
    }
  }
`;

export const orders = graphql`
  fragment pages_customer on Customer
  @refetchable(queryName: "pagesCustomerQuery")
  @argumentDefinitions(first: { type: "Int", defaultValue: 1 }, after: { type: "String" }) {
    salesOrders(first: $first, after: $after) @connection(key: "pages_salesOrders") {
      edges {
        node {
          id
          nodeId
          number
        }
      }
    }
  }
`;

export const remove = graphql`
  mutation pagesDeleteOrderMutation($input: RecordVersionInput!) {
    deleteSalesOrder(input: $input) {
      deletedNodeId @deleteRecord
      userErrors {
        message
      }
    }
  }
`;
