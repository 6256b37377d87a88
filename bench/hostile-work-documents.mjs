// Requests within all limits, by kind, each generated from a number: as much work as the limits allow.
import { getIntrospectionQuery } from 'graphql';

const times = (count, piece) => Array.from({ length: count }, (_, at) => piece(at)).join(' ');
const companyId = '5d115c9c-44e3-4a11-bb43-000000000000';
const idOf = (n) => `5d115c9c-44e3-4a11-bb43-${n.toString(16).padStart(12, '0')}`;
const customer =
  'id etag number displayName type addressLine1 addressLine2 city state country postalCode phoneNumber email website salespersonCode balanceDue creditLimit taxLiable taxAreaId taxAreaDisplayName taxRegistrationNumber currencyId currencyCode paymentTermsId shipmentMethodId paymentMethodId blocked lastModifiedDateTime';
const order =
  'id etag number externalDocumentNumber orderDate postingDate customerId customerNumber customerName billToCustomerId billToCustomerNumber billToName shipToName shipToContact sellToAddressLine1 sellToAddressLine2 sellToCity sellToCountry sellToState sellToPostCode billToAddressLine1 billToAddressLine2 billToCity billToCountry billToState billToPostCode shipToAddressLine1 shipToAddressLine2 shipToCity shipToCountry currencyCode salesperson discountAmount totalAmountExcludingTax totalTaxAmount totalAmountIncludingTax status phoneNumber email';
const lines = 'documentLines { lineNo itemNo description quantity unitPrice amountIncludingTax }';

/** The kind whose responses the client does not read. */
export const sendUnread = 'long answers, unread';

export const work = {
  'a filter of 150 values below 100 records': (n) => ({
    query: `query Q${n % 50}($in: [String!]) { company { customers(first: 100) { nodes { salesOrders(first: 1, filter: { number: { in: $in } }) { nodes { id } } } } } }`,
    variables: { in: Array.from({ length: 150 }, (_, at) => `${n}-${at}`) },
  }),
  'the same filter written out': (n) => ({
    query: `query Q${n % 50} { company { customers(first: 100) { nodes { salesOrders(first: 1, filter: { or: [${times(150, (at) => `{ number: { eq: "${at}" } }`)}] }) { nodes { id } } } } } }`,
  }),
  'a filter of 900 values': (n) => ({
    query: 'query ($f: CustomerFilter) { company { customers(first: 1, filter: $f) { nodes { id } } } }',
    variables: { f: { or: Array.from({ length: 900 }, (_, at) => ({ number: { ne: `${n}-${at}` } })) } },
  }),
  'an `in` of 10,000 values': (n) => ({
    query: 'query ($f: CustomerFilter) { company { customers(first: 1, filter: $f) { nodes { id } } } }',
    variables: { f: { number: { in: Array.from({ length: 10_000 }, (_, at) => `${n}-${at}`) } } },
  }),
  'an order of 900 terms': (n) => ({
    query: `query Q${n % 50}($o: [CustomerOrder!]) { company { customers(first: 1, orderBy: $o) { nodes { id } } } }`,
    variables: { o: Array(900).fill('NUMBER_ASC') },
  }),
  'health events by 900 comparisons': (n) => ({
    query: `query ($f: HealthEventFilter) { healthEvents(first: 1, filter: $f, orderBy: [${times(40, () => 'TITLE_ASC')}]) { totalCount } }`,
    variables: {
      f: { or: Array.from({ length: 900 }, (_, at) => ({ impactedRegion: { contains: `${n} ${at}` } })) },
    },
  }),
  '2,000 representations of one order': (n) => ({
    query: `query Q${n % 50}($r: [_Any!]!) { _entities(representations: $r) { ... on SalesOrder { ${order} ${lines} } } }`,
    variables: { r: Array(2_000).fill({ __typename: 'SalesOrder', companyId, id: idOf(n % 100) }) },
  }),
  '2,000 representations of 2,000 customers': (n) => ({
    query: `query Q${n % 50}($r: [_Any!]!) { _entities(representations: $r) { ... on Customer { number } } }`,
    variables: {
      r: Array.from({ length: 2_000 }, (_, at) => ({
        __typename: 'Customer',
        companyId,
        id: idOf(at + 3_000 * (n % 7)),
      })),
    },
  }),
  '29 aliases of 28 columns below 50 records': (n) => ({
    query: `query Q${n % 50} { company { salesOrders(first: 50) { nodes { ${times(29, (at) => `a${at}: customer { ...C }`)} } } } } fragment C on Customer { ${customer} }`,
  }),
  '1,000 records with every column': (n) => ({
    query: `query Q${n % 50} { company { salesOrders(first: ${1_000 - (n % 50)}) { nodes { ${order} } } } }`,
  }),
  '500 orders with their lines': (n) => ({
    query: `query Q${n % 50} { company { salesOrders(first: ${500 - (n % 50)}) { nodes { ${order} ${lines} } } } }`,
  }),
  introspection: () => ({ query: getIntrospectionQuery() }),
  'introspection, each time another': (n) => ({ query: `${getIntrospectionQuery()} # ${n}` }),
  [sendUnread]: (n) => ({
    query: `query Q${n % 50} { company { salesOrders(first: ${1_000 - n}) { nodes { ${order} } } } }`,
  }),
};
