import type { RecordTypeDescriptor } from '../../../src/business/record-type.ts';
import { type ODataStub, type StubSet, startODataStub } from './odata-stub.ts';

/** Texts of keys that a careless address or filter would break at. */
export const oddTexts = [
  "O'Hara",
  "'",
  "''",
  'a/b',
  '..',
  '%2F',
  '100%',
  '#1',
  'a?b',
  'a&b=c',
  'a+b',
  'a b',
  'a,b',
  'K=1,L=2',
  "x') or (1 eq 1",
  'Æble 漢字 🍎',
  '"quoted"',
  '$batch',
  'a\\b',
];

const route = 'contoso/app/v1.0';

const categories = {
  type: 'Category',
  names: { one: 'category', many: 'categories' },
  entitySet: 'Categories',
  route: 'v2.0',
  key: [{ column: 'Number', kind: 'int' }],
  fields: { Number: 'int', name: 'text' },
  list: { one: 'a category', many: 'categories' },
} as const satisfies RecordTypeDescriptor;

const buyers = {
  type: 'Buyer',
  names: { one: 'buyer', many: 'buyers' },
  entitySet: 'Buyers',
  route,
  key: [{ column: 'Code', kind: 'text' }],
  fields: { Code: 'text', name: 'text', CategoryNo: 'int' },
  relations: { category: { target: categories, idColumn: 'CategoryNo', navigations: ['Category'] } },
  files: { picture: { segment: 'picture', isReplaceable: false } },
  list: { one: 'a buyer', many: 'buyers' },
  writes: ['create', 'update', 'delete'],
} as const satisfies RecordTypeDescriptor;

const details = {
  type: 'Detail',
  names: { one: 'detail', many: 'details' },
  entitySet: 'Details',
  route,
  key: [
    { column: 'OrderID', kind: 'int' },
    { column: 'Code', kind: 'text' },
  ],
  fields: { OrderID: 'int', quantity: 'int', BuyerCode: 'text' },
  relations: { buyer: { target: buyers, idColumn: 'BuyerCode' } },
  list: { one: 'a detail', many: 'details' },
  listedBy: { Buyer: { BuyerCode: 'id' } },
  writes: ['create', 'update', 'delete'],
} as const satisfies RecordTypeDescriptor;

/** Records whose keys the upstream assigns. */
const tickets = {
  type: 'Ticket',
  names: { one: 'ticket', many: 'tickets' },
  entitySet: 'Tickets',
  route,
  key: [{ column: 'No', kind: 'int' }],
  fields: { title: 'text' },
  list: { one: 'a ticket', many: 'tickets' },
  writes: ['create'],
} as const satisfies RecordTypeDescriptor;

const listArguments = (type: string) =>
  `first: Int = 50 after: String filter: ${type}Filter orderBy: [${type}Sort!]`;

const writeDefs = (type: string, one: string, fields: string) => `
  extend type Mutation {
    create${type}(input: Create${type}Input!): Create${type}Payload
    update${type}(input: Update${type}Input!): Update${type}Payload
    delete${type}(input: Delete${type}Input!): Delete${type}Payload
  }
  input Create${type}Input { companyId: UUID ${fields} }
  input ${type}Patch { ${fields} }
  input Update${type}Input { companyId: UUID id: ID! ifMatch: String! patch: ${type}Patch! }
  input Delete${type}Input { companyId: UUID id: ID! ifMatch: String! }
  type Create${type}Payload { ${one}: ${type} userErrors: [UserError!]! }
  type Update${type}Payload { ${one}: ${type} userErrors: [UserError!]! }
  type Delete${type}Payload { ${one}: ${type} deletedId: ID deletedNodeId: ID userErrors: [UserError!]! }`;

export const northwindSdl = `
  extend type Company {
    category(id: ID!): Category
    categories(${listArguments('Category')}): CategoryConnection
    buyer(id: ID!): Buyer
    buyers(${listArguments('Buyer')}): BuyerConnection
    detail(id: ID!): Detail
    details(${listArguments('Detail')}): DetailConnection
    ticket(id: ID!): Ticket
    tickets(${listArguments('Ticket')}): TicketConnection
  }
  type Category @key(fields: "companyId id") {
    companyId: UUID! company: Company id: ID! etag: String Number: Int name: String
  }
  type Buyer @key(fields: "companyId id") {
    companyId: UUID! company: Company id: ID! etag: String Code: String name: String CategoryNo: Int category: Category
    picture: File details(${listArguments('Detail')}): DetailConnection
  }
  type Detail @key(fields: "companyId id") {
    companyId: UUID! company: Company id: ID! etag: String OrderID: Int quantity: Int BuyerCode: String buyer: Buyer
  }
  type Ticket @key(fields: "companyId id") {
    companyId: UUID! company: Company id: ID! etag: String title: String
  }
  ${writeDefs('Buyer', 'buyer', 'Code: String name: String CategoryNo: Int')}
  ${writeDefs('Detail', 'detail', 'OrderID: Int Code: String quantity: Int BuyerCode: String')}
  extend type Mutation { createTicket(input: CreateTicketInput!): CreateTicketPayload }
  input CreateTicketInput { companyId: UUID title: String }
  type CreateTicketPayload { ticket: Ticket userErrors: [UserError!]! }`;

export const northwindTypes: readonly RecordTypeDescriptor[] = [categories, buyers, details, tickets];

/** Entity sets whose keys are a number, a text, both, and one that the upstream assigns; two are below each of two routes. */
export function startNorthwind(): Promise<ODataStub> {
  let number = 100;
  const sets: Record<string, StubSet> = {
    Categories: {
      route: 'v2.0',
      key: ['Number'],
      rows: [
        { Number: 1, name: 'Retail' },
        { Number: 2, name: 'Public' },
      ],
    },
    Buyers: {
      route,
      key: ['Code'],
      rows: ['ALFKI', ...oddTexts].map((Code, index) => ({
        Code,
        name: `Buyer ${index}`,
        CategoryNo: 1 + (index % 2),
      })),
    },
    Details: {
      route,
      key: ['OrderID', 'Code'],
      rows: ['ALFKI', ...oddTexts].map((Code, index) => ({
        OrderID: 10_248 + (index % 3),
        Code,
        quantity: index,
        BuyerCode: Code,
      })),
    },
    Tickets: {
      route,
      key: ['No'],
      rows: [{ No: 7, title: 'Seven' }],
      nextKey: () => ({ No: ++number }),
    },
  };
  return startODataStub(sets);
}
