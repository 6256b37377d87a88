import { composeServices as composeByApollo } from '@apollo/composition';
import { composeServices } from '@theguild/federation-composition';
import {
  type ConstDirectiveNode,
  type FieldDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  Kind,
  parse,
  valueFromASTUntyped,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSchema } from '../../../src/app/schema/schema.ts';
import { subgraphSdl } from '../../../src/app/schema/sdl.ts';
import { readConfig } from '../../../src/config/config.ts';
import { type Issuer, startIssuer } from '../../support/issuer.ts';
import type { Json } from '../../support/json.ts';
import { type Event, startTestLayer, type TestLayer } from '../../support/layer.ts';
import { place, stopInstance } from '../../support/operations.ts';
import { startTestSandbox, type TestSandbox } from '../../support/sandbox.ts';

const scopes = {
  WRITE_SCOPES: 'records.write',
  OPERATE_SCOPES: 'instances.operate',
  MANAGEMENT_SCOPES: 'management.read',
};
const everyScope = Object.values(scopes).join(' ');
const verified = {
  JWT_ISSUER: 'https://i.example',
  JWT_AUDIENCE: 'a',
  JWT_JWKS_URL: 'https://i.example/keys',
};
const configOf = (settings: Readonly<Record<string, string>>) =>
  readConfig({ BUSINESS_URL: 'https://b.example', ...settings }, () => '');

const schema = createSchema();
const roots = { Query: 'query', Mutation: 'mutation', Subscription: 'subscription' } as const;

/** The directives of each root field, in a schema with policies. */
function policiesOf(sdl: string) {
  const fields = parse(sdl).definitions.flatMap((node) =>
    (node.kind === Kind.OBJECT_TYPE_DEFINITION || node.kind === Kind.OBJECT_TYPE_EXTENSION) &&
    node.name.value in roots
      ? (node.fields ?? []).map((field) => [node.name.value as keyof typeof roots, field] as const)
      : [],
  );
  return fields
    .filter(([, { name }]) => !name.value.startsWith('_'))
    .map(([root, field]) => ({ root, name: field.name.value, ...policyOf(field) }));
}

function policyOf({ directives = [] }: FieldDefinitionNode) {
  const find = (name: string): ConstDirectiveNode | undefined =>
    directives.find((directive) => directive.name.value === name);
  const [[required = []] = []] = [find('requiresScopes')?.arguments?.[0]?.value].map((value) =>
    value ? (valueFromASTUntyped(value) as string[][]) : [],
  );
  return { isAuthenticated: find('authenticated') !== undefined, scopes: required };
}

/** A value for an argument: what is there, where its name says what it is, else the least of its type. */
function sampleOf(type: GraphQLInputType, name: string, known: Json): unknown {
  if (name in known) return known[name];
  const named = getNamedType(type);
  if (isInputObjectType(named)) {
    const fields = Object.values(named.getFields());
    const given = named.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField);
    const value = Object.fromEntries(
      given.map((field) => [field.name, sampleOf(field.type, field.name, {})]),
    );
    return String(type).startsWith('[') ? [value] : value;
  }
  if (isEnumType(named)) return named.getValues()[0]?.name;
  return { UUID: '00c0ffee-0000-4000-8000-000000000001', Boolean: true, Int: 1 }[named.name] ?? 'x';
}

function operationOf(root: keyof typeof roots, name: string, known: Json) {
  const field = schema.getType(root) as unknown as {
    getFields(): Record<string, GraphQLField<unknown, unknown>>;
  };
  const { args, type } = field.getFields()[name] as GraphQLField<unknown, unknown>;
  const given = args.filter((argument) => isRequiredArgument(argument) || argument.name in known);
  const variables = Object.fromEntries(
    given.map((argument) => [argument.name, sampleOf(argument.type, argument.name, known)]),
  );
  const named = getNamedType(type);
  const leaves = isObjectType(named)
    ? Object.values(named.getFields()).filter(
        (one) =>
          isLeafType(getNamedType(one.type)) && one.args.every(({ type: inner }) => !isNonNullType(inner)),
      )
    : [];
  const selection = ['__typename', ...leaves.map((leaf) => leaf.name)].join(' ');
  const declared = given.map((argument) => `$${argument.name}: ${argument.type}`).join(', ');
  const passed = given.map((argument) => `${argument.name}: $${argument.name}`).join(', ');
  const query = `${roots[root]}${declared && `(${declared})`} { ${name}${passed && `(${passed})`} { ${selection} } }`;
  return { query, variables };
}

describe('the subgraph with --policies', () => {
  test('says nothing where callers are not verified', () => {
    expect(subgraphSdl(configOf({}))).toBe(subgraphSdl());
  });

  test('requires a token at every root field, and no scope where the settings require none', () => {
    const policies = policiesOf(subgraphSdl(configOf({ ...verified, MANAGEMENT_SCOPES: '' })));

    expect(policies.length).toBeGreaterThan(40);
    for (const { isAuthenticated, scopes: required } of policies)
      expect([isAuthenticated, required]).toEqual([true, []]);
  });

  test('composes without hints, and keeps the policies in the supergraph', () => {
    const typeDefs = parse(subgraphSdl(configOf({ ...verified, ...scopes })));
    const subgraphs = [{ name: 'tributary', typeDefs, url: 'http://tributary.test/graphql' }];

    const apollo = composeByApollo(subgraphs);
    const guild = composeServices(subgraphs);

    expect([apollo.errors, apollo.hints, guild.errors]).toEqual([undefined, [], undefined]);
    for (const { supergraphSdl = '' } of [apollo, guild])
      expect(supergraphSdl).toMatch(
        /createCustomer\([^)]*\)[^\n]*@requiresScopes\(scopes: \[\["records\.write"\]\]\)/,
      );
  });
});

describe('what the policies say', () => {
  const policies = policiesOf(subgraphSdl(configOf({ ...verified, ...scopes })));
  let issuer: Issuer;
  let sandbox: TestSandbox;
  let layer: TestLayer;
  let known: Json;

  beforeAll(async () => {
    [issuer, sandbox] = await Promise.all([startIssuer(), startTestSandbox()]);
    layer = await startTestLayer(sandbox.url, { ...issuer.settings, ...scopes, POLL_HEALTH_MS: '50' });
    const headers = { authorization: `Bearer ${await issuer.token('an operator', everyScope)}` };
    const query = (text: string, variables: Json) => layer.query(text, variables, headers);
    const { operation } = await stopInstance({ ...layer, query }, 'app01');
    known = { ...place, applicationInstanceName: 'app01', id: operation.id, trackingId: 'SI_1-QRT' };
  });
  afterAll(async () => {
    await layer.stop();
    await sandbox.stop();
    issuer.stop();
  });

  const refusalsWith = async (root: keyof typeof roots, name: string, granted: string) => {
    const token = await issuer.token('an operator', granted);
    const { query, variables } = operationOf(
      root,
      name,
      root === 'Mutation' || name === 'company' ? {} : known,
    );
    // The upstream may refuse for reasons of its own.
    const refusalsOf = ({ errors = [] }: Event) =>
      errors
        .filter(({ message }) => message.includes('lacks the scope'))
        .map(({ extensions }) => extensions.code);
    if (root !== 'Subscription')
      return refusalsOf(await layer.query(query, variables, { authorization: `Bearer ${token}` }));
    for await (const event of layer.watch(query, variables, token)) return refusalsOf(event);
    return [];
  };

  // These have no event until something changes.
  const isSilent = (name: string) => ['recordChanged', 'healthEventsChanged'].includes(name);
  const checked = policies.filter(({ name }) => name !== 'recordChanged');

  test.each(checked.filter((policy) => policy.scopes.length > 0))(
    'is what the server requires: $name of $root needs $scopes',
    async ({ root, name, scopes: required }) => {
      for (const missing of required) {
        const granted = everyScope.replace(missing, '').trim();
        expect(await refusalsWith(root, name, granted), `without ${missing}`).toContain('FORBIDDEN');
      }
      if (root !== 'Mutation' && !isSilent(name))
        expect(await refusalsWith(root, name, required.join(' '))).not.toContain('FORBIDDEN');
    },
  );

  test.each(checked.filter((policy) => policy.scopes.length === 0))(
    'is all that the server requires: $name of $root needs a token alone',
    async ({ root, name }) => {
      expect(await refusalsWith(root, name, 'profile')).not.toContain('FORBIDDEN');
      const { query, variables } = operationOf(root, name, {});
      const { status } = await layer.query(query, variables, { authorization: '' });
      expect(status).toBe(401);
    },
  );
});
