import { buildSchema, type GraphQLField, isObjectType } from 'graphql';
import { expect, test } from 'vitest';
import { sandboxCompanyId, sandboxExamples } from '../../../sandbox/seed/seed.ts';
import { clientSdl } from '../../../src/app/schema/sdl.ts';
import { startTestLayer } from '../../support/layer.ts';
import { endWithTest } from '../../support/runner/end-with-test.ts';
import { type StubAnswer, startStub } from '../../support/stub.ts';

const isSemantic = ({ astNode }: GraphQLField<unknown, unknown>) =>
  astNode?.directives?.some(({ name }) => name.value === 'semanticNonNull') === true;
const types = Object.values(buildSchema(clientSdl()).getTypeMap()).filter(isObjectType);
const places = types.flatMap((type) =>
  Object.values(type.getFields())
    .filter(isSemantic)
    .map((field) => [type.name, field] as const),
);

test('@semanticNonNull stands at pages, payloads and the lists of Query, and nowhere else', () => {
  expect(places.length).toBeGreaterThan(40);
  for (const [, { type }] of places)
    expect(String(type)).toMatch(/(Connection|Payload)$|^\[(InstanceOperation|Upstream!)\]$/);
});

const company = `company(id: "${sandboxCompanyId}")`;
const instance = `subscriptionId: "${sandboxExamples.instance.subscriptionId}", resourceGroupName: "g", virtualInstanceName: "v"`;
const id = '00c0ffee-0000-4000-8000-000000000001';
/** A query for fields with the directive, each of another resolver, and the path to its value. */
const queries: Readonly<Record<string, readonly [query: string, path: readonly string[]]>> = {
  'Query.companies': ['{ companies { totalCount } }', ['companies']],
  'Query.healthEvents': ['{ healthEvents { totalCount } }', ['healthEvents']],
  'Query.managementSubscriptions': [
    '{ managementSubscriptions { totalCount } }',
    ['managementSubscriptions'],
  ],
  'Query.virtualInstances': [
    `{ virtualInstances(${instance.split(',')[0]}) { totalCount } }`,
    ['virtualInstances'],
  ],
  'Query.upstreams': ['{ upstreams { name } }', ['upstreams']],
  'Company.items': [`{ ${company} { items { totalCount } } }`, ['company', 'items']],
  'Mutation.deleteCustomer': [
    `mutation { deleteCustomer(input: { id: "${id}", ifMatch: "*" }) { deletedId } }`,
    ['deleteCustomer'],
  ],
  'Mutation.stopApplicationInstance': [
    `mutation { stopApplicationInstance(input: { instance: { names: { ${instance}, applicationInstanceName: "a" } } }) { operation { id } } }`,
    ['stopApplicationInstance'],
  ],
};

test.each<[string, StubAnswer]>([
  ['finds nothing', { status: 404, body: { error: { code: 'ResourceNotFound', message: 'no' } } }],
  ['permits nothing', { status: 403, body: { error: { code: 'Forbidden', message: 'no' } } }],
  ['answers with empty lists', { body: { value: [] } }],
])('with an upstream that %s, such a field is null only with an error', async (_what, answer) => {
  const stub = await startStub(() => answer);
  const layer = await startTestLayer(stub.url);
  endWithTest(async () => {
    await layer.stop();
    stub.stop();
  });
  for (const [place, [query, path]] of Object.entries(queries)) {
    const [type, name] = place.split('.');
    expect(
      places.some(([owner, field]) => owner === type && field.name === name),
      place,
    ).toBe(true);

    const { data, errors = [] } = await layer.query(query);

    const value = path.reduce((above, key) => above?.[key], data);
    const failed = errors.some((error) => error.path?.join('.') === path.join('.'));
    if (value !== undefined) expect(value === null, place).toBe(failed);
  }
});
