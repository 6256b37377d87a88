import { type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { createSchema } from '../../../src/schema.ts';
import { areasOf, businessArea, managementArea } from '../../../src/server/areas.ts';

const both = businessArea | managementArea;
const areas = (text: string) => {
  const document = parse(text);
  return areasOf(document, document.definitions[0] as OperationDefinitionNode);
};

// A new field at the root is to be put where it belongs, here and in areas.ts.
const rootFields = {
  0: ['_service', 'upstreams'],
  [businessArea]: [
    'companies',
    'company',
    'createCustomer',
    'createEmployee',
    'createItem',
    'createSalesOrder',
    'createSalesOrders',
    'createSalesQuote',
    'deleteCustomer',
    'deleteEmployee',
    'deleteItem',
    'deleteSalesOrder',
    'recordChanged',
    'updateCustomer',
    'updateCustomers',
    'updateEmployee',
    'updateItem',
    'updateItems',
    'updateSalesOrder',
  ],
  [managementArea]: [
    'applicationInstance',
    'healthEvent',
    'healthEventChanged',
    'healthEvents',
    'instanceOperation',
    'operationProgress',
    'startApplicationInstance',
    'stopApplicationInstance',
  ],
  [both]: ['_entities'],
};

test('every field an operation can begin with is known to ask one area, both or none', () => {
  const schema = createSchema();
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const names = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
  const found: Record<string, string[]> = {};
  for (const name of names.sort()) {
    const key = areas(`{ ${name} { __typename } }`);
    found[key] = [...(found[key] ?? []), name];
  }

  expect(found).toEqual(rootFields);
});

test.each([
  ['{ __typename }', 0],
  ['{ __schema { queryType { name } } company { id } }', businessArea],
  ['{ company { id } ...More } fragment More on Query { healthEvents { totalCount } }', both],
  ['{ first: healthEvents { totalCount } ... on Query { __typename } }', managementArea],
  ['query($of: [_Any!]!) { _entities(representations: $of) { ... on Customer { id } } }', businessArea],
  [
    'query($of: [_Any!]!) { _entities(representations: $of) { ... on HealthEvent { title } } }',
    managementArea,
  ],
  [
    'query($of: [_Any!]!) { _entities(representations: $of) { ...A } } fragment A on InstanceOperation { id }',
    managementArea,
  ],
  [
    'query($of: [_Any!]!) { _entities(representations: $of) { ... on Item { id } ... on HealthEvent { title } } }',
    both,
  ],
])('%s may ask %i', (text, expected) => {
  expect(areas(text)).toBe(expected);
});
