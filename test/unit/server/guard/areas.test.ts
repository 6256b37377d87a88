import { type OperationDefinitionNode, parse } from 'graphql';
import { expect, test } from 'vitest';
import { productRecordTypes } from '../../../../src/app/schema/product-record-types.ts';
import { createSchema } from '../../../../src/app/schema/schema.ts';
import {
  authorize,
  businessArea,
  findAreas,
  listRootFields,
  managementArea,
} from '../../../../src/server/guard/authorization.ts';
import type { VerifiedCaller } from '../../../../src/server/guard/token-verification.ts';

const { recordTypes } = productRecordTypes();

const both = businessArea | managementArea;
const areas = (text: string) => {
  const document = parse(text);
  return findAreas(document, listRootFields(document, document.definitions[0] as OperationDefinitionNode));
};

const mutationsOfRecords = recordTypes.flatMap(({ type }) => [
  `create${type}`,
  `update${type}`,
  `delete${type}`,
]);
const mutationsOfLines = recordTypes.flatMap(({ lines }) =>
  lines ? ['add', 'update', 'remove'].map((verb) => `${verb}${lines.set.type}s`) : [],
);
const actions = recordTypes.flatMap((recordType) => recordType.actions ?? []);
const knownMutations = [
  ...mutationsOfRecords,
  ...mutationsOfLines,
  ...actions.map(({ mutation }) => mutation),
];

// Add each new root field that is no mutation of records here and in authorization.ts.
const rootFields = {
  0: ['_service', 'upstreams'],
  [businessArea]: ['batch', 'companies', 'company', 'recordChanged'],
  [managementArea]: [
    ...'applicationInstance healthEvent healthEventChanged healthEvents healthEventsChanged'.split(' '),
    ...'instanceOperation managementSubscriptions operationProgress operations operationsProgress'.split(' '),
    ...'startApplicationInstance startApplicationInstances startCentralInstance startDatabaseInstance'.split(
      ' ',
    ),
    ...'startVirtualInstance stopApplicationInstance stopApplicationInstances stopCentralInstance'.split(' '),
    ...'stopDatabaseInstance stopVirtualInstance virtualInstance virtualInstances'.split(' '),
  ],
  [both]: ['_entities', 'node', 'nodes'],
};

test('the areas of every root field are known', () => {
  const schema = createSchema();
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const names = roots.flatMap((type) => Object.keys(type?.getFields() ?? {}));
  const found: Record<string, string[]> = {};
  for (const name of names.filter((one) => !knownMutations.includes(one)).sort()) {
    const key = areas(`{ ${name} { __typename } }`);
    found[key] = [...(found[key] ?? []), name];
  }

  expect(found).toEqual(rootFields);
  const mutations = names.filter((name) => knownMutations.includes(name));
  expect(mutations.length).toBeGreaterThan(0);
  for (const name of mutations) expect(areas(`mutation { ${name} { __typename } }`), name).toBe(businessArea);
});

test('every mutation requires the scopes of its area', () => {
  const required = { writeScopes: ['write'], operateScopes: ['operate'], managementScopes: ['manage'] };
  const mutations = Object.keys(createSchema().getMutationType()?.getFields() ?? {});
  const withoutScopes = { scopes: new Set<string>() } as unknown as VerifiedCaller;
  expect(mutations.length).toBeGreaterThan(0);
  for (const name of mutations) {
    const isOfInstances = areas(`mutation { ${name} { __typename } }`) === managementArea;
    expect(() => authorize(required, new Set([name]), withoutScopes), name).toThrow(
      expect.objectContaining({ scopes: isOfInstances ? ['operate', 'manage'] : ['write'] }),
    );
  }
});

test.each([
  ['{ __typename }', 0],
  ['{ __schema { queryType { name } } company { id } }', businessArea],
  ['{ company { id } ...More } fragment More on Query { healthEvents { totalCount } }', both],
  [
    'query($of: [_Any!]!) { _entities(representations: $of) { ...A } } fragment A on InstanceOperation { id }',
    managementArea,
  ],
  [
    'query($of: [_Any!]!) { _entities(representations: $of) { ... on Item { id } ... on HealthEvent { title } } }',
    both,
  ],
  [
    'query($id: ID!) { node(nodeId: $id) { ... on Node { ...A } } } fragment A on SalesDocument { ...B } fragment B on SalesQuote { id }',
    businessArea,
  ],
])('%s may call the areas %i', (text, expected) => {
  expect(areas(text)).toBe(expected);
});
