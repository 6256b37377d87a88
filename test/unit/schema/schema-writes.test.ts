import {
  type GraphQLInputObjectType,
  getNamedType,
  isInputObjectType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { describe, expect, test } from 'vitest';
import { productRecordTypes } from '../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../src/app/schema/schema.ts';

const { recordTypes } = productRecordTypes();

const schema = createSchema();

const totals = ['totalAmountExcludingTax', 'totalTaxAmount', 'totalAmountIncludingTax'];
const billTo = ['AddressLine1', 'AddressLine2', 'City', 'Country', 'State', 'PostCode'].map(
  (part) => `billTo${part}`,
);
const netAmounts = ['netAmount', 'netTaxAmount', 'netAmountIncludingTax'];
const amounts = ['amountExcludingTax', 'totalTaxAmount', 'amountIncludingTax', ...netAmounts];
const ofDocuments = ['customerName', 'billToName', ...totals, 'status', 'lastModifiedDateTime'];
const ofLines = ['id', 'documentId', 'currencyCode', 'discountAppliedBeforeTax', 'taxPercent', ...amounts];
/** What a line keeps from its creation. */
const fixed = ['lineType', 'lineNo', 'itemId', 'itemNo', 'accountId'];
const shipped = ['invoiceDiscountAllocation', 'shippedQuantity', 'invoicedQuantity'];

/** What the upstream alone writes, beside the id. */
const readOnly: Readonly<Record<string, readonly string[]>> = {
  Customer: ['balanceDue', 'taxAreaDisplayName', 'lastModifiedDateTime'],
  Item: ['lastModifiedDateTime'],
  Employee: ['displayName', 'lastModifiedDateTime'],
  SalesOrder: [...ofDocuments, ...billTo, 'discountAppliedBeforeTax', 'fullyShipped'],
  SalesOrderLine: [...ofLines, ...shipped],
  SalesQuote: [...ofDocuments, 'sentDate'],
  SalesQuoteLine: ofLines,
};

function inputOf(name: string): GraphQLInputObjectType {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  return type;
}

const signatureOf = (name: string): Record<string, string> =>
  Object.fromEntries(
    Object.values(inputOf(name).getFields()).map((field) => [field.name, String(field.type)]),
  );

/** The fields of a record that a caller can write, with their types, but for some. */
function writable(name: string, ...but: string[]): Record<string, string> {
  const type = schema.getType(name);
  const fields = isObjectType(type) ? type.getFields() : {};
  const others = ['nodeId', 'companyId', 'id', 'etag', ...(readOnly[name] ?? []), ...but];
  const columns = Object.values(fields)
    .filter((field) => isLeafType(getNamedType(field.type)))
    .filter((field) => !others.includes(field.name));
  return Object.fromEntries(columns.map((field) => [field.name, String(field.type)]));
}

const chosen = { companyId: 'UUID', id: 'UUID' };

test.each([
  ['CreateCustomerInput', { ...chosen, ...writable('Customer'), displayName: 'String!' }],
  ['CreateItemInput', { ...chosen, ...writable('Item', 'inventory') }],
  ['CreateEmployeeInput', { ...chosen, ...writable('Employee') }],
  [
    'CreateSalesOrderInput',
    {
      ...chosen,
      ...writable('SalesOrder'),
      documentLines: '[SalesOrderLineInput!]',
    },
  ],
  ['SalesOrderLineInput', writable('SalesOrderLine')],
  [
    'CreateSalesQuoteInput',
    {
      ...chosen,
      ...writable('SalesQuote'),
      salesQuoteLines: '[SalesQuoteLineInput!]',
    },
  ],
  ['SalesQuoteLineInput', writable('SalesQuoteLine')],
  ['CustomerPatch', writable('Customer')],
  ['ItemPatch', writable('Item')],
  ['EmployeePatch', writable('Employee')],
  ['SalesOrderPatch', writable('SalesOrder', 'number')],
])('%s has what can be written, and nothing that is read-only', (name, expected) => {
  expect(Object.keys(expected).length).toBeGreaterThan(11);
  expect(signatureOf(name)).toEqual(expected);
});

test.each(['SalesOrderLine', 'SalesQuoteLine'])(
  'the patch of a %s has what can be written, but for what a line keeps',
  (type) => {
    const expected = writable(type, ...fixed);

    expect(Object.keys(expected).length).toBeGreaterThan(9);
    expect(signatureOf(`${type}Patch`)).toEqual(expected);
  },
);

test.each(Object.entries(readOnly))('what is read-only is there to be read: %s', (name, fields) => {
  const type = schema.getType(name);

  expect(Object.keys(isObjectType(type) ? type.getFields() : {})).toEqual(
    expect.arrayContaining([...fields]),
  );
});

describe('a mutation', () => {
  const mutations = Object.values(schema.getMutationType()?.getFields() ?? {});
  const capital = (name: string) => name.charAt(0).toUpperCase() + name.slice(1);
  const payloadOf = (name: string) => {
    const mutation = mutations.find((one) => one.name === name);
    const type = mutation && getNamedType(mutation.type);
    const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
    return Object.fromEntries(fields.map((field) => [field.name, String(field.type)]));
  };
  const singles = recordTypes.flatMap(({ type, writes = [] }) => writes.map((write) => write + type));
  const ofLines = ['add', 'update', 'remove'].flatMap((verb) =>
    ['SalesOrderLine', 'SalesQuoteLine', 'SalesInvoiceLine'].map((type) => `${verb}${type}s`),
  );
  const ofInstances = ['stopApplicationInstances', 'startApplicationInstances'];
  const ofMany = [...ofLines, ...ofInstances, 'batch'];
  const actions = recordTypes.flatMap(({ type, actions: own = [] }) =>
    own.map(({ mutation, result }) => [mutation, type, result?.type] as const),
  );
  const ofActions = actions.map(([name]) => name);
  const single = mutations
    .map(({ name }) => name)
    .filter((name) => ![...ofMany, ...ofActions].includes(name));
  const keys = { companyId: 'UUID', id: 'UUID!', ifMatch: 'String!' };

  test('is there for every write of one record', () => {
    const names = mutations.map(({ name }) => name);

    expect(names).toEqual(expect.arrayContaining([...singles, ...ofLines, ...ofActions]));
    expect(singles).toHaveLength(36);
  });

  test.each(mutations.map((mutation) => [mutation.name, mutation] as const))(
    '%s takes an input and gives a payload, which may be null',
    (name, { args, type }) => {
      const isOfVersion = name.startsWith('delete') || ofActions.includes(name);
      const taken = isOfVersion ? 'RecordVersionInput' : `${capital(name)}Input`;

      expect(args.map((arg) => `${arg.name}: ${arg.type}`)).toEqual([`input: ${taken}!`]);
      expect(String(type)).toMatch(/^\w+Payload$/);
    },
  );

  test.each(single)('%s gives what it was about, which may be null, and why it was refused', (name) => {
    const { userErrors, deletedId, deletedNodeId, ...subject } = payloadOf(name);

    expect(userErrors).toBe('[UserError!]!');
    const isDelete = name.startsWith('delete');
    expect([deletedId, deletedNodeId]).toEqual(isDelete ? ['UUID', 'ID'] : [undefined, undefined]);
    expect(Object.values(subject)).toEqual([expect.stringMatching(/^\w+$/)]);
  });

  test.each(actions)(
    '%s names a version of a record, and returns it and the document that it makes',
    (name, type, result) => {
      const fieldOf = (typeName: string) => `${typeName.charAt(0).toLowerCase()}${typeName.slice(1)}`;

      expect(payloadOf(name)).toEqual({
        [fieldOf(type)]: type,
        ...(result && { [fieldOf(result)]: result }),
        userErrors: '[UserError!]!',
      });
    },
  );

  test.each(ofLines)('%s names the lines and their document, and gives both', (name) => {
    const [, verb = '', type = '', owner = ''] =
      /^(add|update|remove)(Sales(Order|Quote|Invoice)Line)s$/.exec(name) ?? [];
    const entry = { add: `${type}Input`, update: `Update${type}Input` }[verb] ?? 'LineVersionInput';
    const document = `sales${owner}`;

    expect(signatureOf(`${capital(name)}Input`)).toEqual({
      companyId: 'UUID',
      [`${owner.toLowerCase()}Id`]: 'UUID!',
      entries: `[${entry}!]!`,
      atomic: 'Boolean!',
    });
    expect(payloadOf(name)).toEqual({
      [document]: `Sales${owner}`,
      results: `[${type}Result!]!`,
    });
    const { id, ifMatch } = keys;
    if (verb === 'update') expect(signatureOf(entry)).toEqual({ id, ifMatch, patch: `${type}Patch!` });
  });

  test.each(single.filter((name) => name.startsWith('update')))('%s needs the tag and a patch', (name) => {
    const patch = `${name.slice('update'.length)}Patch!`;

    expect(signatureOf(`${capital(name)}Input`)).toEqual({ ...keys, patch });
  });

  test('a version of a record is named by its id and tag, and one of a line, too', () => {
    const { id, ifMatch } = keys;

    expect(signatureOf('RecordVersionInput')).toEqual(keys);
    expect(signatureOf('LineVersionInput')).toEqual({ id, ifMatch });
  });

  test.each(ofInstances)(
    '%s takes the references of many, and gives what the single one does for each',
    (name) => {
      const one = capital(name).slice(0, -1);

      expect(signatureOf(`${capital(name)}Input`)).toMatchObject({
        instances: '[ApplicationInstanceReferenceInput!]!',
      });
      expect(payloadOf(name)).toEqual({ results: `[${one}Payload!]!` });
    },
  );

  test('an entry of a batch is exactly one of the mutations of one record, with its input', () => {
    const entries = Object.fromEntries(
      singles.map((name) => [
        name,
        name.startsWith('delete') ? 'RecordVersionInput' : `${capital(name)}Input`,
      ]),
    );

    expect(inputOf('BatchEntryInput').isOneOf).toBe(true);
    expect(signatureOf('BatchEntryInput')).toEqual(entries);
  });
});
